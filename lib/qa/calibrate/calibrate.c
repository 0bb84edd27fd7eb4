/* ssimcu calibrate: accepted runs are scored against REF, frame after frame, and teach limits. */
#include "calibrate/check.h"
#include "calibrate/source.h"
#include "calibrate/write.h"
#include "delivery/exit_code.h"
#include "delivery/run_header.h"
#include "options/files.h"
#include "options/parts.h"
#include "report/folder/folder.h"
#include "say/describe.h"

#include "base/numbers.h"
#include "base/refuse.h"
#include "engine/batch.h"
#include "facts/record.h"
#include "pair/pair.h"

#include "sized.h"

#include <stdlib.h>
#include <string.h>

struct calibrate {
    struct options options;
    struct hooks hooks;
    struct source_input input;
    struct source *source;
    struct calibrate_files files;
    struct judge judge; /* says what the rules of the files ignore */
    struct learner learner;
    int64_t pairs; /* -1: unknown */
    ssimcu_calibrated done;
    ssimcu_status status; /* what ended it early */
    ssimcu_message message;
    bool hangs; /* a thread that hangs may still use all of this */
};

/* ---- Options --------------------------------------------------------------------------------- */

static ssimcu_status take_options(struct calibrate *calibrate,
                                  const ssimcu_calibrate_options *given, ssimcu_message *message)
{
    ssimcu_calibrate_options own;
    ssimcu_run_options run;
    ssimcu_status status = ssimcu_sized_read(&own, sizeof own, SSIMCU_CALIBRATE_OPTIONS_OLDEST,
                                             given, "calibrate_options", message);
    if (status == SSIMCU_OK)
        status = ssimcu_sized_read(&run, sizeof run, SSIMCU_RUN_OPTIONS_OLDEST, own.run,
                                   "run_options", message);
    if (status == SSIMCU_OK) status = calibrate_check(&own, &run, message);
    if (status != SSIMCU_OK) return status;
    calibrate->learner.rate = own.false_alarms != 0 ? own.false_alarms : 0.001;
    calibrate->files.tile = run.tile;
    run.tile = 0;
    if (run.decode == SSIMCU_DECODE_AUTO) run.decode = SSIMCU_DECODE_CPU; /* as if it judged */
    status = options_make(&calibrate->options, &run, message);
    if (status != SSIMCU_OK) return status;
    calibrate->options.image.remark = hooks_remark;
    calibrate->options.image.user = &calibrate->hooks;
    calibrate->input = calibrate->options.input;
    calibrate->input.color = calibrate->options.settings.color;
    return SSIMCU_OK;
}

/* ---- Callbacks of the batch ------------------------------------------------------------------ */

/* Damages some pairs while their frames are there. */
static ssimcu_status try_damage(void *user, ssimcu_context *lane, const struct pair *pair,
                                ssimcu_message *message)
{
    struct calibrate *calibrate = user;
    struct trials trials = {0};
    if (pair->on_device[0] || pair->on_device[1] || !trials_choose(pair->record, calibrate->pairs))
        return SSIMCU_OK;
    ssimcu_status status = trials_make(lane, pair, pair->record->values, &trials, message);
    if (status == SSIMCU_OK)
        status = learner_try(&calibrate->learner, pair->record, &trials, message);
    trials_free(&trials);
    return status;
}

static bool take(void *user, const struct record *record, bool known)
{
    struct calibrate *calibrate = user;
    ssimcu_calibrated *done = &calibrate->done;
    done->scored += record->kind == RECORD_SCORED;
    done->missing += record->kind == RECORD_MISSING;
    done->failed += record->kind == RECORD_FAILED;
    if (calibrate->status == SSIMCU_OK)
        calibrate->status = hooks_record(&calibrate->hooks, record, known, &calibrate->message);
    if (calibrate->status == SSIMCU_OK)
        calibrate->status = learner_take(&calibrate->learner, record, &calibrate->message);
    return calibrate->status == SSIMCU_OK;
}

/* ---- The calibration ------------------------------------------------------------------------- */

/* Names runs that cannot be compared. */
static void name_left_out(struct calibrate *calibrate)
{
    for (uint32_t i = 0; i < calibrate->learner.runs; i++) {
        const struct source_out *out = &calibrate->source->out[i];
        if (out->status == SSIMCU_OK) continue;
        learner_skip(&calibrate->learner, i);
        learner_note(&calibrate->learner, "run %.300s is left out: %s", calibrate->learner.run[i],
                     out->message.text);
    }
}

/* Says how pairs are scored. */
static struct batch_config config_of(const struct calibrate *calibrate)
{
    const struct options *options = &calibrate->options;
    return (struct batch_config){.settings = options->settings,
                                 .all_devices = options->run.all_devices,
                                 .memory_bytes = options->run.memory_bytes,
                                 .tile = calibrate->files.tile,
                                 .no_hints = true,
                                 .judge = calibrate->judge.ignored ? &calibrate->judge : NULL};
}

/* Checks that a report lies in no input and holds none, as that of a run. The guard of the limits
 * is of their own kind. */
static ssimcu_status check_report(const struct calibrate *calibrate, ssimcu_message *message)
{
    struct files files = {0};
    struct options options = calibrate->options;
    options.run.output = NULL;
    ssimcu_status status = files_add(&files, &options, false, message);
    if (status == SSIMCU_OK) status = files_check(&files, NULL, NULL, message);
    files_free(&files);
    return status == SSIMCU_OK ? folder_check(options.run.report, message) : status;
}

static ssimcu_status open_files(struct calibrate *calibrate, ssimcu_message *message)
{
    const ssimcu_run_options *run = &calibrate->options.run;
    const char *report = run->report;
    ssimcu_status status = report ? check_report(calibrate, message) : SSIMCU_OK;
    if (status == SSIMCU_OK)
        status = calibrate_files_open(run->output, run->limits_file, &calibrate->files, message);
    if (status == SSIMCU_OK && report && strcmp(report, run->output) == 0)
        status = ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT, "--output %.300s: is also --report",
                             report);
    calibrate->learner.keeps = report != NULL;
    calibrate->files.limits.layers = calibrate->options.input.layers;
    if (status == SSIMCU_OK && calibrate->files.limits.ignored[0])
        calibrate->judge =
            (struct judge){.ignored = limits_next_ignored, .user = &calibrate->files.limits};
    if (status == SSIMCU_OK && calibrate->files.limits.compared[0])
        calibrate->input.compare = limits_compare;
    calibrate->input.user = &calibrate->files.limits;
    return status;
}

/* Opens REF and the runs, each of which teaches. */
static ssimcu_status open_runs(struct calibrate *calibrate, ssimcu_message *message)
{
    struct learner *learner = &calibrate->learner;
    ssimcu_status status = calibrate_source_open(&calibrate->input, &calibrate->source, message);
    if (status == SSIMCU_OK) status = kinds_check(&calibrate->options, calibrate->source, message);
    if (status == SSIMCU_OK) status = learner_begin(learner, calibrate->input.outs, message);
    if (status != SSIMCU_OK) return status;
    learner->run = calibrate->input.out;
    learner->layers = calibrate->source->layers;
    name_left_out(calibrate);
    if (calibrate->files.tile == 0)
        calibrate->files.tile = calibrate_source_tile(calibrate->source);
    return learner->usable > 0
               ? SSIMCU_OK
               : ssimcu_fail(message, SSIMCU_ERROR_MISMATCH, "calibrate: no run can be compared");
}

/* Says which scores teach. */
static ssimcu_status make_contract(struct calibrate *calibrate, ssimcu_message *message)
{
    calibrate->files.ref = calibrate->input.path[0];
    calibrate->options.tile = calibrate->files.tile;
    calibrate->files.contract =
        run_contract_make(&calibrate->options, source_is_video(calibrate->source));
    return calibrate->files.contract ? SSIMCU_OK : no_memory(message);
}

static ssimcu_status open_all(struct calibrate *calibrate, ssimcu_message *message)
{
    struct learner *learner = &calibrate->learner;
    learner->hooks = &calibrate->hooks;
    ssimcu_status status = open_files(calibrate, message);
    if (status == SSIMCU_OK) status = open_runs(calibrate, message);
    if (status != SSIMCU_OK) return status;
    learner->x = calibrate->input.region.x;
    learner->y = calibrate->input.region.y;
    if (learner->usable < LEARN_VERIFIED)
        hooks_log(&calibrate->hooks, SSIMCU_LOG_WARNING,
                  "calibrate: with %u accepted run%s the rate of false alarms is not verified, "
                  "from %d on it is",
                  learner->usable, learner->usable == 1 ? "" : "s", LEARN_VERIFIED);
    status = make_contract(calibrate, message);
    if (status != SSIMCU_OK) return status;
    return floors_writer_open(calibrate->files.floors, &learner->writer, message);
}

/* Returns an error if a video was damaged, whose frames are not all there. */
static ssimcu_status check_damage(const struct calibrate *calibrate, ssimcu_message *message)
{
    const struct source *source = calibrate->source;
    const char *damage = source->damage.text;
    for (uint32_t i = 0; i < source->outs && !damage[0]; i++) damage = source->out[i].damage.text;
    return damage[0] ? ssimcu_fail(message, SSIMCU_ERROR_DATA, "%s", damage) : SSIMCU_OK;
}

static ssimcu_status score(struct calibrate *calibrate, ssimcu_message *message)
{
    enum { LAYERS = 6 }; /* layers of an EXR, about: each has a table of its own */
    struct batch_times times;
    struct batch_config config = config_of(calibrate);
    const ssimcu_run_hooks *call = &calibrate->hooks.call;
    if (calibrate->source->on_device) config.settings.device = SSIMCU_DEVICE_CUDA;
    config.keeps_tiles = true;
    if (call->line || calibrate->options.run.report) config.scored = try_damage;
    config.take = take;
    config.user = calibrate;
    calibrate->pairs = source_count(calibrate->source);
    if (call->begin) call->begin(call->user, calibrate->pairs);
    calibrate->learner.by_layer = calibrate->input.layers;
    if (calibrate->input.layers) calibrate->pairs /= LAYERS;
    ssimcu_status status = batch_run(&config, calibrate->source, &times, message);
    calibrate->hangs = times.abandoned;
    if (call->end) call->end(call->user);
    if (call->log) describe_times(&times, &(struct say){hooks_detail, &calibrate->hooks});
    const bool no_device = config.settings.device == SSIMCU_DEVICE_CUDA && times.lanes == 0;
    if (status == SSIMCU_ERROR_MEMORY && no_device) status = SSIMCU_ERROR_DEVICE;
    if (calibrate->status != SSIMCU_OK) /* the cause, if the batch was told to end */
        return ssimcu_fail(message, calibrate->status, "%s", calibrate->message.text);
    return status == SSIMCU_OK ? check_damage(calibrate, message) : status;
}

/* Says what the limits find: of each layer, or of all frames. */
static ssimcu_status tell_found(struct calibrate *calibrate, ssimcu_message *message)
{
    const struct learner *learner = &calibrate->learner;
    ssimcu_status status = SSIMCU_OK;
    for (size_t i = 0; i < learner->founds && status == SSIMCU_OK; i++)
        status = trials_tell(&learner->found[i], &calibrate->hooks, message);
    return status;
}

static ssimcu_status write_all(struct calibrate *calibrate, ssimcu_message *message)
{
    struct learner *learner = &calibrate->learner;
    ssimcu_status status = learner_end(learner, message);
    if (status == SSIMCU_OK && calibrate->hooks.call.line) status = tell_found(calibrate, message);
    if (status == SSIMCU_OK) status = calibrate_files_write(&calibrate->files, learner, message);
    if (status == SSIMCU_OK && calibrate->options.run.report)
        status = calibrate_page_write(calibrate->options.run.report, &calibrate->files, learner,
                                      message);
    return status;
}

static void end(struct calibrate *calibrate, ssimcu_status status, ssimcu_calibrated *calibrated)
{
    const struct learner *learner = &calibrate->learner;
    ssimcu_calibrated *done = &calibrate->done;
    done->frames = learner->frames;
    done->shots = learner->shots;
    done->named = learner->left_out;
    done->code = status != SSIMCU_OK ? exit_code_early(status)
                 : done->failed > 0  ? SSIMCU_EXIT_MISMATCH
                                     : SSIMCU_EXIT_SCORED;
    ssimcu_sized_write(calibrated, done);
    if (calibrate->hangs) return;
    source_close(calibrate->source);
    floors_writer_close(learner->writer);
    learner_free(&calibrate->learner);
    calibrate_files_free(&calibrate->files);
    options_free(&calibrate->options);
    pthread_mutex_destroy(&calibrate->learner.lock);
    pthread_mutex_destroy(&calibrate->hooks.lock);
    free(calibrate);
}

ssimcu_status ssimcu_calibrate(const ssimcu_calibrate_options *options,
                               const ssimcu_run_hooks *hooks, ssimcu_calibrated *calibrated,
                               ssimcu_message *message)
{
    ssimcu_calibrated given;
    ssimcu_message cause = {{0}};
    ssimcu_status status = ssimcu_sized_read(&given, sizeof given, SSIMCU_CALIBRATED_OLDEST,
                                             calibrated, "calibrated", message);
    if (status != SSIMCU_OK) return status;
    struct calibrate *calibrate = calloc(1, sizeof *calibrate);
    if (!calibrate) {
        given.code = exit_code_early(SSIMCU_ERROR_MEMORY);
        ssimcu_sized_write(calibrated, &given);
        return no_memory(message);
    }
    pthread_mutex_init(&calibrate->hooks.lock, NULL);
    pthread_mutex_init(&calibrate->learner.lock, NULL);
    calibrate->done.struct_size = sizeof calibrate->done;
    const locale_t before = numbers_begin();
    if (hooks)
        status = ssimcu_sized_read(&calibrate->hooks.call, sizeof calibrate->hooks.call,
                                   SSIMCU_RUN_HOOKS_OLDEST, hooks, "run_hooks", &cause);
    if (status == SSIMCU_OK) status = take_options(calibrate, options, &cause);
    if (status == SSIMCU_OK) status = open_all(calibrate, &cause);
    if (status == SSIMCU_OK) status = score(calibrate, &cause);
    if (status == SSIMCU_OK) status = write_all(calibrate, &cause);
    numbers_end(before);
    end(calibrate, status, calibrated);
    return status == SSIMCU_OK ? status : ssimcu_fail(message, status, "%s", cause.text);
}
