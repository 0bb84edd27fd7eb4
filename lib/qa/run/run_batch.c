/* A batch: many pairs of frames from a source, scored by the engine. */
#include "run/run.h"

#include "options/internal.h"
#include "record/record.h"

#include "messages/describe.h"

#include <string.h>

static bool find_known(void *user, struct record *record)
{
    const struct ssimcu_run *run = user;
    return delivery_find_known(&run->out[record->out].delivery, record);
}

/* Returns whether a frame of videos has a result for every OUT before it is scored. */
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

static bool take(void *user, struct record *record, bool known)
{
    struct out_run *out = &((struct ssimcu_run *)user)->out[record->out];
    out->end = record->frame + 1;
    return delivery_take(&out->delivery, record, known);
}

/* Writes the map of a frame beyond a limit of a frame. Without such limits, writes a map of every
 * frame. */
static ssimcu_status draw_map(void *user, ssimcu_context *context, const struct pair *pair,
                              ssimcu_message *message)
{
    struct delivery *delivery = &((struct ssimcu_run *)user)->out[pair->out].delivery;
    const struct limits *limits = &delivery->verdict.limits;
    const struct record *record = pair->record;
    bool limited = limits->file != NULL;
    for (int i = 0; i < FINDING_FAIL_ON; i++) limited = limited || limits_has(limits, i);
    if (limited && !delivery_is_beyond(delivery, record)) return SSIMCU_OK;
    return map_files_add(&delivery->maps, run_judge(user), context, pair, message);
}

static bool is_beyond(void *user, const struct record *record)
{
    return delivery_is_beyond(&((struct ssimcu_run *)user)->out[record->out].delivery, record);
}

static void print_unread(void *user, const struct record *record, const char *why)
{
    char name[TEXT_FRAME];
    hooks_log(&((struct ssimcu_run *)user)->hooks, SSIMCU_LOG_WARNING, "--or: frame %s: %s",
              text_frame(name, record->shot, record->frame), why);
}

/* ---- The run --------------------------------------------------------------------------------- */

static void describe(struct ssimcu_run *run)
{
    char text[512];
    for (uint32_t side = 0; side <= run->source->outs && run->hooks.call.log; side++)
        if (source_describe(run->source, side, text, sizeof text)) hooks_detail(&run->hooks, text);
    describe_compat(run->options.settings.compat, &(struct line_sink){hooks_detail, &run->hooks});
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

/* Returns whether results keep the data that a resuming run needs to compare neighbours. */
static bool keeps_pending_hints(const struct ssimcu_run *run)
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
                                        .unread = print_unread,
                                        .is_share = options->share,
                                        .keeps_pending_hints = keeps_pending_hints(run),
                                        .user = run,
                                        .stop = &run->stop};
    run->source->scored = known ? is_known : NULL;
    run->source->user = run;
}

/* Adds missing frames of video after the end of both sides. A share does not know the end, so its
 * merge does this. */
static void miss_behind_end(struct ssimcu_run *run)
{
    const struct source_input *input = &run->input;
    if (!source_is_video(run->source) || input->frames || input->shortest) return;
    if (input->shards > 1) return;
    for (uint32_t i = 0; i < run->outs.count; i++)
        if (!run->out[i].left_out) run_miss_behind(run, i, run->out[i].end);
}

ssimcu_status run_score_pairs(struct ssimcu_run *run, struct batch_times *times,
                              ssimcu_message *message)
{
    const ssimcu_run_hooks *call = &run->hooks.call;
    if (run->source->on_device)
        run->config.settings.device = SSIMCU_DEVICE_CUDA; /* frames are there */
    if (call->begin) call->begin(call->user, source_count(run->source));
    const ssimcu_status status = batch_run(&run->config, run->source, times, message);
    run->abandoned = times->abandoned;
    if (times->fell_back)
        hooks_log(&run->hooks, SSIMCU_LOG_WARNING, "%s: the CPU scores the frames", times->reason);
    const bool no_device =
        run->options.settings.device == SSIMCU_DEVICE_CUDA && times->contexts == 0;
    return status == SSIMCU_ERROR_MEMORY && no_device ? SSIMCU_ERROR_DEVICE /* its memory */
                                                      : status;
}

void run_end_pairs(struct ssimcu_run *run, const struct batch_times *times)
{
    const struct line_sink to = {hooks_detail, &run->hooks};
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
    const ssimcu_status status = run_score_pairs(run, &times, message);
    if (run->outs.count == 1) run->out->delivery.seconds = times.whole / 1e3;
    run->cancelled = ssimcu_is_stopped(&run->stop);
    if (status == SSIMCU_OK && !run->cancelled) miss_behind_end(run);
    run_end_pairs(run, &times);
    note_complete(run, status == SSIMCU_OK && !run->cancelled);
    return status;
}

static ssimcu_status open_batch(struct ssimcu_run *run, ssimcu_message *message)
{
    run->input.color = run->options.settings.color;
    TRY(source_open(&run->input, &run->source, message));
    TRY(kinds_check(&run->options, run->source, message));
    /* The files determine which segment the share is, and the results name it. */
    source_segment(run->source, &run->input);
    run->options.input.begin = run->input.begin;
    run->options.input.end = run->input.end;
    describe(run);
    return run_open_variants(run, message);
}

const struct work work_batch = {.open = open_batch, .work = score};
