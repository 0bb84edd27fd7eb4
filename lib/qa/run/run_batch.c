/* A batch: many pairs of frames from a source, scored by the engine. */
#include "run/run.h"

#include "facts/record.h"
#include "options/parts.h"

#include "delivery/exit_code.h"
#include "say/describe.h"

#include <string.h>

static bool find_known(void *user, struct record *record)
{
    const struct ssimcu_run *run = user;
    return delivery_find_known(&run->out[record->out].delivery, record);
}

/* Returns whether a frame of videos is known for every OUT, before there is a record of it. */
static bool is_known(void *user, int64_t frame)
{
    const struct ssimcu_run *run = user;
    bool known = true;
    for (uint32_t i = 0; i < run->outs.count && known; i++) {
        struct record record = {.frame = frame, .out = i};
        if (run->out[i].left_out) continue;
        for (int side = 0; side < 2; side++)
            (void)record_name(&record, side, run->out[i].input.path[side]);
        known = record.kind != RECORD_FAILED && find_known(user, &record);
        record_clear(&record);
    }
    return known;
}

static bool take(void *user, const struct record *record, bool known)
{
    struct out_run *out = &((struct ssimcu_run *)user)->out[record->out];
    out->end = record->frame + 1;
    return delivery_take(&out->delivery, record, known);
}

/* Writes the map of a frame beyond a limit of its own; without such limits, of every frame. */
static ssimcu_status draw_map(void *user, ssimcu_context *lane, const struct pair *pair,
                              ssimcu_message *message)
{
    struct delivery *delivery = &((struct ssimcu_run *)user)->out[pair->out].delivery;
    const struct limits *limits = &delivery->verdict.limits;
    const struct record *record = pair->record;
    bool limited = limits->file != NULL;
    for (int i = 0; i < FAULT_HINT; i++) limited = limited || limits_has(limits, i);
    if (limited && !delivery_is_beyond(delivery, record)) return SSIMCU_OK;
    return map_files_add(&delivery->maps, run_judge(user), lane, pair, message);
}

static bool is_beyond(void *user, const struct record *record)
{
    return delivery_is_beyond(&((struct ssimcu_run *)user)->out[record->out].delivery, record);
}

static void say_unread(void *user, const struct record *record, const char *why)
{
    char name[TEXT_FRAME];
    hooks_log(&((struct ssimcu_run *)user)->hooks, SSIMCU_LOG_WARNING, "--or: frame %s: %s",
              text_frame(name, record->part, record->frame), why);
}

/* Names an OUT that cannot be compared and leaves it out; the others go on. */
static void leave_out(struct ssimcu_run *run, uint32_t at, const struct source_out *out)
{
    const ssimcu_exit code = exit_code_early(out->status);
    run->out[at].left_out = true;
    hooks_log(&run->hooks, SSIMCU_LOG_WARNING, "OUT %s is left out: %s",
              source_out_name(&run->out[at].input, 0), out->message.text);
    if (code > run->code) run->code = code;
}

/* Checks the files of all OUTs before the first output is opened. */
static ssimcu_status begin_all(struct ssimcu_run *run, ssimcu_message *message)
{
    const struct source *source = run->source;
    ssimcu_status status = run_make_outs(run, message);
    for (uint32_t i = 0; status == SSIMCU_OK && i < run->outs.count; i++) {
        if (source->out[i].status != SSIMCU_OK)
            leave_out(run, i, &source->out[i]);
        else
            status = files_add(&run->files, run->out[i].delivery.options, false, message);
    }
    if (status == SSIMCU_OK) status = files_check(&run->files, source, run->variants, message);
    if (status == SSIMCU_OK) status = run_index_check(run, message);
    for (uint32_t i = 0; status == SSIMCU_OK && i < run->outs.count; i++)
        if (!run->out[i].left_out) status = delivery_begin(&run->out[i].delivery, source, message);
    return status;
}

/* ---- The run --------------------------------------------------------------------------------- */

static void describe(struct ssimcu_run *run)
{
    char text[512];
    for (uint32_t side = 0; side <= run->source->outs && run->hooks.call.log; side++)
        if (source_describe(run->source, side, text, sizeof text)) hooks_detail(&run->hooks, text);
    describe_compat(run->options.settings.compat, &(struct say){hooks_detail, &run->hooks});
}

/* Ends all results before the reports, which take a while. Returns the highest exit code. */
static ssimcu_exit deliver(struct ssimcu_run *run)
{
    ssimcu_exit worst = run->code;
    for (uint32_t i = 0; i < run->outs.count; i++)
        if (!run->out[i].left_out) run->out[i].code = delivery_end(&run->out[i].delivery);
    run_index_say(run);
    for (uint32_t i = 0; i < run->outs.count; i++) {
        struct out_run *out = &run->out[i];
        if (out->left_out) continue;
        out->code = delivery_report(&out->delivery, out->code);
        run->cancelled = run->cancelled || out->delivery.report_stopped;
        if (out->code > worst) worst = out->code;
    }
    const ssimcu_exit index = run_index_write(run);
    return index > worst ? index : worst;
}

/* Notes which results are complete. */
static void note_complete(struct ssimcu_run *run, bool whole)
{
    const struct source *source = run->source;
    const bool stopped = ssimcu_is_stopped(&run->stop);
    for (uint32_t i = 0; i < run->outs.count; i++)
        whole = whole && run->out[i].delivery.status == SSIMCU_OK;
    if (source->damage.text[0] && !stopped)
        hooks_log(&run->hooks, SSIMCU_LOG_WARNING, "%s", source->damage.text);
    for (uint32_t i = 0; i < run->outs.count; i++) {
        const char *damage = source->out[i].damage.text;
        const bool said =
            strcmp(damage, source->damage.text) == 0; /* REF is the same file as OUT */
        if (damage[0] && !said && !stopped)
            hooks_log(&run->hooks, SSIMCU_LOG_WARNING, "%s", damage);
        run->out[i].delivery.summary.complete = whole && !damage[0] && !source->damage.text[0];
    }
}

/* Returns whether results keep what a run that resumes them needs, to judge frames beside others.
 */
static bool keeps_looks(const struct ssimcu_run *run)
{
    const struct limits limits = run_limits(run);
    return run->options.run.output && limit_options_need_neighbours(&limits);
}

static void configure(struct ssimcu_run *run, bool known)
{
    const struct options *options = &run->options;
    run->config = (struct batch_config){.settings = options->settings,
                                        .all_devices = options->run.all_devices,
                                        .memory_bytes = options->run.memory_bytes,
                                        .tile = options->tile,
                                        .judge = run_judge(run),
                                        .needed = options->input.needed,
                                        .scored = options->run.map ? draw_map : NULL,
                                        .bytes_per_byte = options->run.map ? MAP_BYTES_PER_BYTE : 0,
                                        .known = known ? find_known : NULL,
                                        .take = take,
                                        .variants = run->variants,
                                        .beyond = is_beyond,
                                        .unread = say_unread,
                                        .is_share = options->share,
                                        .keeps_looks = keeps_looks(run),
                                        .user = run,
                                        .stop = &run->stop};
    if (run->source->on_device)
        run->config.settings.device = SSIMCU_DEVICE_CUDA; /* frames are there */
    run->source->scored = known ? is_known : NULL;
    run->source->user = run;
}

/* Misses the frames of video behind the end of both sides. A share does not know where the end is,
 * so its merge does this. */
static void miss_behind_end(struct ssimcu_run *run)
{
    const struct source_input *input = &run->input;
    if (!source_is_video(run->source) || input->frames || input->shortest) return;
    if (input->shards > 1) return;
    for (uint32_t i = 0; i < run->outs.count; i++)
        if (!run->out[i].left_out) run_miss_behind(run, i, run->out[i].end);
}

static void end_scoring(struct ssimcu_run *run, const struct batch_times *times)
{
    const struct say to = {hooks_detail, &run->hooks};
    if (run->hooks.call.end) run->hooks.call.end(run->hooks.call.user);
    if (run->hooks.call.log) describe_times(times, &to);
}

static ssimcu_status score(struct ssimcu_run *run, ssimcu_message *message)
{
    bool known = false;
    struct batch_times times;
    for (uint32_t i = 0; i < run->outs.count; i++)
        known = known || run->out[i].delivery.earlier.count > 0;
    configure(run, known);
    if (run->hooks.call.begin)
        run->hooks.call.begin(run->hooks.call.user, source_count(run->source));
    ssimcu_status status = batch_run(&run->config, run->source, &times, message);
    run->hangs = times.abandoned;
    if (run->outs.count == 1) run->out->delivery.seconds = times.whole / 1e3;
    const bool no_device = run->options.settings.device == SSIMCU_DEVICE_CUDA && times.lanes == 0;
    if (status == SSIMCU_ERROR_MEMORY && no_device)
        status = SSIMCU_ERROR_DEVICE; /* the device's memory */
    run->cancelled = ssimcu_is_stopped(&run->stop);
    if (status == SSIMCU_OK && !run->cancelled) miss_behind_end(run);
    end_scoring(run, &times);
    note_complete(run, status == SSIMCU_OK && !run->cancelled);
    run->code = deliver(run);
    if (status == SSIMCU_OK) return run_delivered(run, message);
    if (run->code != SSIMCU_EXIT_OUTPUT) run->code = exit_code_early(status);
    return status;
}

static bool has_out_to_score(const struct ssimcu_run *run)
{
    for (uint32_t i = 0; i < run->outs.count; i++)
        if (!run->out[i].left_out) return true;
    return false;
}

static void withdraw_left_out(struct ssimcu_run *run)
{
    for (uint32_t i = 0; i < run->outs.count; i++) {
        const struct source_out *out = &run->source->out[i];
        if (run->out[i].left_out)
            delivery_withdraw(&run->outs.options[i], false, &run->hooks, out->status,
                              &out->message);
    }
}

/* Lets the files say which part of them the share is. The results name it. */
static void take_segment(struct ssimcu_run *run)
{
    source_segment(run->source, &run->input);
    run->options.input.begin = run->input.begin;
    run->options.input.end = run->input.end;
}

ssimcu_status run_batch(struct ssimcu_run *run, ssimcu_message *message)
{
    run->input.color = run->options.settings.color;
    ssimcu_status status = source_open(&run->input, &run->source, message);
    if (status == SSIMCU_OK) status = kinds_check(&run->options, run->source, message);
    if (status == SSIMCU_OK) take_segment(run);
    if (status == SSIMCU_OK) describe(run);
    if (status == SSIMCU_OK) status = run_open_variants(run, message);
    if (status == SSIMCU_OK) status = begin_all(run, message);
    run->begun = status == SSIMCU_OK && has_out_to_score(run);
    if (status == SSIMCU_OK) withdraw_left_out(run);
    if (status == SSIMCU_OK && !run->begun) run_index_withdraw(run, "no OUT can be compared");
    if (run->begun) return score(run, message);
    run->cancelled = ssimcu_is_stopped(&run->stop); /* it waited for input */
    return status;
}
