/* ssimcu calibrate: accepted runs are scored against REF, frame after frame, and teach limits. */
#include "calibrate/damage.h"
#include "calibrate/source.h"
#include "calibrate/write.h"
#include "delivery/exit_code.h"
#include "options/internal.h"
#include "run/run.h"

#include "base/refuse.h"
#include "base/text.h"
#include "engine/score.h"
#include "pair/pair.h"
#include "record/record.h"

#include "sized.h"

#include <stdlib.h>

struct calibrate {
    struct ssimcu_run *run;
    struct calibrate_files files;
    struct learner learner;
    struct intake damage; /* what a check finds in REF and the runs */
    int64_t pairs;        /* -1: unknown */
    uint32_t first_out;   /* the first run that can be compared */
    ssimcu_calibrated done;
    ssimcu_status status; /* what ended it early */
    ssimcu_message message;
};

/* ---- Options --------------------------------------------------------------------------------- */

static ssimcu_status check(const ssimcu_calibrate_options *given, const ssimcu_run_options *run,
                           ssimcu_message *message)
{
    const double rate = given->false_alarms;
    TRY(verbs_check(run, VERB_CALIBRATE, message));
    if (!run->output || !run->output[0]) FAIL(ARGUMENT, "calibrate: expected --output limits.json");
    if (run->tile != 0 && !score_allows_tile(run->tile))
        FAIL(ARGUMENT, "calibrate: --tile: expected " SCORE_TILES);
    if (run->merges > 0) FAIL(ARGUMENT, "calibrate: expected REF and runs, found results");
    if (rate != 0 && !(rate >= 1e-9 && rate <= 0.1))
        FAIL(ARGUMENT, "--false-alarms: expected a number from 1e-9 to 0.1");
    return SSIMCU_OK;
}

/* Makes the run from the options. What it writes is the file of limits and a page, for all OUTs. */
static ssimcu_status take_options(struct calibrate *calibrate,
                                  const ssimcu_calibrate_options *given, ssimcu_message *message)
{
    ssimcu_calibrate_options own;
    ssimcu_run_options run;
    TRY(ssimcu_sized_read(&own, sizeof own, SSIMCU_CALIBRATE_OPTIONS_OLDEST, given,
                          "calibrate_options", message));
    TRY(ssimcu_sized_read(&run, sizeof run, SSIMCU_RUN_OPTIONS_OLDEST, own.run, "run_options",
                          message));
    TRY(check(&own, &run, message));
    calibrate->learner.rate = own.false_alarms != 0 ? own.false_alarms : 0.001;
    calibrate->files.path = run.output;
    calibrate->files.tile = run.tile;
    run.output = NULL;
    run.tile = 0;
    if (run.decode == SSIMCU_DECODE_AUTO) run.decode = SSIMCU_DECODE_CPU; /* as if it judged */
    TRY(job_open(&run, VERB_CALIBRATE, &calibrate->run, message));
    calibrate->run->user = calibrate;
    calibrate->run->input.color = calibrate->run->options.settings.color;
    calibrate->run->options.input.outs = 1;
    return SSIMCU_OK;
}

/* ---- Callbacks of the batch ------------------------------------------------------------------ */

/* Damages some pairs while their frames are there. */
static ssimcu_status try_damage(void *user, ssimcu_context *lane, const struct pair *pair,
                                ssimcu_message *message)
{
    struct calibrate *calibrate = user;
    struct injection injection = {0};
    int side;
    if (damage_of(calibrate->run, &calibrate->damage, pair->record, &side)) return SSIMCU_OK;
    if (pair->on_device[0] || pair->on_device[1] ||
        !injection_choose(pair->record, calibrate->pairs))
        return SSIMCU_OK;
    ssimcu_status status = injection_make(lane, pair, pair->record->values, &injection, message);
    if (status == SSIMCU_OK)
        status = learner_try(&calibrate->learner, pair->record, &injection, message);
    injection_free(&injection);
    return status;
}

/* Passes a damaged pair by. A damaged frame of REF is named once. */
static ssimcu_status pass(struct calibrate *calibrate, struct record *record, int side,
                          const char *why, ssimcu_message *message)
{
    struct learner *learner = &calibrate->learner;
    struct learned_values *values = record->values;
    char name[TEXT_FRAME];
    text_frame(name, record->shot, record->frame);
    if (side == 1)
        learner_note(learner, "%.300s: frame %s is damaged and was not learned: %s",
                     learner->run[record->out], name, why);
    else if (record->out == calibrate->first_out)
        learner_note(learner, "frame %s was not learned, because REF is damaged: %s", name, why);
    learner->left_out += side == 1 || record->out == calibrate->first_out;
    record->values = NULL;
    const ssimcu_status status = learner_take(learner, record, message);
    record->values = values;
    return status;
}

static bool take(void *user, struct record *record, bool known)
{
    struct calibrate *calibrate = user;
    ssimcu_calibrated *done = &calibrate->done;
    done->scored += record->kind == RECORD_SCORED;
    done->missing += record->kind == RECORD_MISSING;
    done->failed += record->kind == RECORD_FAILED;
    if (calibrate->status == SSIMCU_OK)
        calibrate->status =
            hooks_record(&calibrate->run->hooks, record, known, &calibrate->message);
    int side;
    const char *why = record->kind == RECORD_SCORED
                          ? damage_of(calibrate->run, &calibrate->damage, record, &side)
                          : NULL;
    if (calibrate->status == SSIMCU_OK)
        calibrate->status = why ? pass(calibrate, record, side, why, &calibrate->message)
                                : learner_take(&calibrate->learner, record, &calibrate->message);
    return calibrate->status == SSIMCU_OK;
}

/* ---- The calibration ------------------------------------------------------------------------- */

/* Names runs that cannot be compared. */
static void name_left_out(struct calibrate *calibrate)
{
    for (uint32_t i = calibrate->learner.runs; i-- > 0;) {
        const struct source_out *out = &calibrate->run->source->out[i];
        if (out->status == SSIMCU_OK) calibrate->first_out = i;
        if (out->status == SSIMCU_OK) continue;
        learner_skip(&calibrate->learner, i);
        learner_note(&calibrate->learner, "run %.300s was left out: %s", calibrate->learner.run[i],
                     out->message.text);
    }
}

static ssimcu_status open_files(struct calibrate *calibrate, ssimcu_message *message)
{
    struct ssimcu_run *run = calibrate->run;
    const char *report = run->options.run.report;
    struct limits_file *limits = &calibrate->files.limits;
    TRY(calibrate_files_open(run->options.run.limits_file, &calibrate->files, message));
    if (report && strcmp(report, calibrate->files.path) == 0)
        FAIL(ARGUMENT, "--output %.300s is also --report", report);
    calibrate->learner.keeps = report != NULL;
    limits->layers = run->options.input.layers;
    if (limits->ignored[0])
        run->judging = (struct judge){.ignored = limits_next_ignored, .user = limits};
    if (limits->compared[0]) run->input.compare = limits_compare;
    run->input.user = limits;
    return SSIMCU_OK;
}

/* Opens REF and the runs, each of which teaches. */
static ssimcu_status open_runs(struct calibrate *calibrate, ssimcu_message *message)
{
    struct ssimcu_run *run = calibrate->run;
    struct learner *learner = &calibrate->learner;
    TRY(calibrate_source_open(&run->input, &run->source, message));
    TRY(kinds_check(&run->options, run->source, message));
    TRY(learner_begin(learner, run->input.outs, message));
    learner->run = run->input.out;
    learner->layers = run->source->layers;
    name_left_out(calibrate);
    if (calibrate->files.tile == 0) calibrate->files.tile = calibrate_source_tile(run->source);
    if (learner->usable > 0) return SSIMCU_OK;
    FAIL(MISMATCH, "calibrate: no run can be compared");
}

/* Says which scores teach. */
static ssimcu_status make_contract(struct calibrate *calibrate, ssimcu_message *message)
{
    struct ssimcu_run *run = calibrate->run;
    calibrate->files.ref = run->input.path[0];
    run->options.tile = calibrate->files.tile;
    calibrate->files.contract = run_contract_make(&run->options, source_is_video(run->source));
    return calibrate->files.contract ? SSIMCU_OK : no_memory(message);
}

static ssimcu_status open_all(struct ssimcu_run *run, ssimcu_message *message)
{
    struct calibrate *calibrate = run->user;
    struct learner *learner = &calibrate->learner;
    learner->hooks = &run->hooks;
    TRY(open_files(calibrate, message));
    TRY(open_runs(calibrate, message));
    learner->x = run->input.region.x;
    learner->y = run->input.region.y;
    learner->by_layer = run->input.layers;
    TRY(make_contract(calibrate, message));
    return learned_writer_open(calibrate->files.learned, &learner->writer, message);
}

static ssimcu_status begin(struct ssimcu_run *run, struct out_run *out, ssimcu_message *message)
{
    const struct learner *learner = &((struct calibrate *)run->user)->learner;
    const char *report = run->options.run.report;
    (void)out;
    if (learner->usable < LEARN_VERIFIED)
        hooks_log(
            &run->hooks, SSIMCU_LOG_WARNING,
            "calibrate: %u accepted run%s cannot verify the rate of false alarms, %d or more can",
            learner->usable, text_plural(learner->usable), LEARN_VERIFIED);
    if (!report) return SSIMCU_OK;
    return report_withdraw(report, "a calibration began here and did not finish", message);
}

/* Returns an error if a video was damaged, whose frames are not all there. */
static ssimcu_status check_damage(const struct source *source, ssimcu_message *message)
{
    const char *damage = source->damage.text;
    for (uint32_t i = 0; i < source->outs && !damage[0]; i++) damage = source->out[i].damage.text;
    return damage[0] ? fail_data(message, "%s", damage) : SSIMCU_OK;
}

/* Says how pairs are scored. */
static void configure(struct calibrate *calibrate)
{
    struct ssimcu_run *run = calibrate->run;
    const struct options *options = &run->options;
    run->config = (struct batch_config){
        .settings = options->settings,
        .all_devices = options->run.all_devices,
        .memory_bytes = options->run.memory_bytes,
        .tile = calibrate->files.tile,
        .no_hints = true,
        .keeps_tiles = true,
        .judge = run->judging.ignored ? &run->judging : NULL,
        .scored = run->hooks.call.line || options->run.report ? try_damage : NULL,
        .take = take,
        .user = calibrate};
}

static ssimcu_status score(struct calibrate *calibrate, ssimcu_message *message)
{
    enum { LAYERS = 6 }; /* layers of an EXR, about: each has a table of its own */
    struct ssimcu_run *run = calibrate->run;
    struct batch_times times;
    configure(calibrate);
    calibrate->pairs = source_count(run->source) / (run->input.layers ? LAYERS : 1);
    const ssimcu_status status = run_score_pairs(run, &times, message);
    run_end_pairs(run, &times);
    if (calibrate->status != SSIMCU_OK) /* the cause, if the batch was told to end */
        return ssimcu_fail(message, calibrate->status, "%s", calibrate->message.text);
    return status == SSIMCU_OK ? check_damage(run->source, message) : status;
}

static ssimcu_status work(struct ssimcu_run *run, ssimcu_message *message)
{
    struct calibrate *calibrate = run->user;
    struct learner *learner = &calibrate->learner;
    const char *report = run->options.run.report;
    TRY(damage_find(run, &calibrate->damage, message));
    TRY(score(calibrate, message));
    TRY(learner_end(learner, message));
    for (size_t i = 0; run->hooks.call.line && i < learner->founds; i++) /* one for each layer */
        TRY(injection_tell(&learner->found[i], learner->hooks, message));
    TRY(calibrate_files_write(&calibrate->files, learner, message));
    if (report) TRY(calibrate_page_write(report, &calibrate->files, learner, message));
    if (calibrate->done.failed > 0) run->code = SSIMCU_EXIT_MISMATCH;
    return SSIMCU_OK;
}

static const struct work calibration = {
    .open = open_all, .begin = begin, .work = work, .delivers_nothing = true};

static void end(struct calibrate *calibrate, ssimcu_status status, ssimcu_calibrated *calibrated)
{
    struct learner *learner = &calibrate->learner;
    ssimcu_calibrated *done = &calibrate->done;
    done->frames = learner->frames;
    done->shots = learner->shots;
    done->named = learner->left_out;
    done->code = status == SSIMCU_OK ? calibrate->run->code : exit_code_early(status);
    ssimcu_sized_write(calibrated, done);
    if (calibrate->run && calibrate->run->abandoned) return;
    ssimcu_run_close(&calibrate->run);
    learned_writer_close(learner->writer);
    learner_free(learner);
    intake_free(&calibrate->damage);
    calibrate_files_free(&calibrate->files);
    pthread_mutex_destroy(&learner->lock);
    free(calibrate);
}

ssimcu_status ssimcu_calibrate(const ssimcu_calibrate_options *options,
                               const ssimcu_run_hooks *hooks, ssimcu_calibrated *calibrated,
                               ssimcu_message *message)
{
    ssimcu_calibrated given;
    TRY(ssimcu_sized_read(&given, sizeof given, SSIMCU_CALIBRATED_OLDEST, calibrated, "calibrated",
                          message));
    struct calibrate *calibrate = calloc(1, sizeof *calibrate);
    if (!calibrate) {
        given.code = exit_code_early(SSIMCU_ERROR_MEMORY);
        ssimcu_sized_write(calibrated, &given);
        return no_memory(message);
    }
    pthread_mutex_init(&calibrate->learner.lock, NULL);
    calibrate->done.struct_size = sizeof calibrate->done;
    ssimcu_status status = take_options(calibrate, options, message);
    if (status == SSIMCU_OK) {
        calibrate->run->work = &calibration;
        status = job_call(calibrate->run, job_run, hooks, message);
    }
    end(calibrate, status, calibrated);
    return status;
}
