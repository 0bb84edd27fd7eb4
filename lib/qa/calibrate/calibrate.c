/* ssimcu calibrate: accepted runs are scored against REF, frame after frame, and teach limits. */
#include "calibrate/source.h"
#include "calibrate/write.h"
#include "run/describe.h"
#include "run/exit_code.h"
#include "run/run_header.h"

#include "engine/batch.h"
#include "engine/score.h"
#include "results/numbers.h"
#include "results/results.h"

#include "sized.h"

#include <math.h>
#include <stdlib.h>

struct calibrate {
    struct options options;
    struct hooks hooks;
    struct source_input input;
    struct source *source;
    struct calibrate_files files;
    struct learner learner;
    uint32_t tile;
    int64_t pairs; /* -1: unknown */
    bool tries;    /* some pairs are damaged, to say what the limits find */
    ssimcu_calibrated done;
    ssimcu_status status; /* what ended it early */
    ssimcu_message message;
    bool hangs; /* a thread that hangs may still use all of this */
};

/* ---- Options --------------------------------------------------------------------------------- */

/* Refuses options of runs that would be passed over. */
static ssimcu_status check_options(const ssimcu_run_options *given, ssimcu_message *message)
{
    const struct {
        bool is_given;
        const char *name;
    } refused[] = {{given->list != NULL, "--list"},
                   {given->merges > 0, "merge"},
                   {given->shards > 0, "--shard"},
                   {given->limits != 0 || given->max_bad > 0, "a limit"},
                   {given->limits_file != NULL, "--limits"},
                   {given->baseline != NULL, "--baseline"},
                   {given->fail_on_hint != NULL, "--fail-on-hint"},
                   {given->resume != NULL, "--resume"},
                   {given->junit != NULL, "--junit"},
                   {given->map != NULL, "--map"},
                   {given->report != NULL, "--report"},
                   {given->results == SSIMCU_RESULTS_CSV, "--csv"}};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (refused[i].is_given)
            return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                               "calibrate: learns limits, %s is for the runs after it",
                               refused[i].name);
    if (!given->output || !given->output[0])
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                           "calibrate: expected --output limits.json");
    if (given->tile != 0 && !score_allows_tile(given->tile))
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                           "calibrate: --tile: expected " SCORE_TILES);
    return SSIMCU_OK;
}

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
    if (status == SSIMCU_OK) status = check_options(&run, message);
    if (status != SSIMCU_OK) return status;
    if (own.false_alarms != 0 && !(own.false_alarms >= 1e-9 && own.false_alarms <= 0.1))
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                           "--false-alarms: expected a number from 1e-9 to 0.1");
    calibrate->learner.rate = own.false_alarms != 0 ? own.false_alarms : 0.001;
    calibrate->tile = run.tile;
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

static ssimcu_status take_tiles(void *user, ssimcu_context *lane, const struct pair *pair,
                                const struct floor_tiles *tiles, ssimcu_message *message)
{
    struct calibrate *calibrate = user;
    struct floor_values values;
    struct trials trials = {0};
    const bool damaged = calibrate->tries && !pair->on_device[0] && !pair->on_device[1] &&
                         trials_choose(&pair->record, calibrate->pairs);
    ssimcu_status status = SSIMCU_OK;
    if (!floor_values_make(tiles, pair->record.channels, &values))
        return results_no_memory(message);
    if (damaged) status = trials_make(lane, pair, &values.grid, &trials, message);
    if (status == SSIMCU_OK)
        return learner_put(&calibrate->learner, &pair->record, &values, &trials, message);
    floor_values_free(&values);
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
        hooks_log(&calibrate->hooks, SSIMCU_LOG_WARNING, "run %s is left out: %s",
                  calibrate->learner.run[i], out->message.text);
    }
}

static ssimcu_status open_all(struct calibrate *calibrate, const char *const *run,
                              ssimcu_message *message)
{
    struct learner *learner = &calibrate->learner;
    const uint32_t runs = calibrate->input.outs;
    ssimcu_status status =
        calibrate_files_open(calibrate->options.batch.output, &calibrate->files, message);
    if (status == SSIMCU_OK)
        status = calibrate_source_open(&calibrate->input, &calibrate->source, message);
    if (status == SSIMCU_OK) status = learner_begin(learner, runs, message);
    if (status != SSIMCU_OK) return status;
    learner->run = run;
    learner->hooks = &calibrate->hooks;
    learner->x = calibrate->input.region.x;
    learner->y = calibrate->input.region.y;
    name_left_out(calibrate);
    const uint32_t count = learner->usable;
    if (count == 0)
        return ssimcu_fail(message, SSIMCU_ERROR_MISMATCH, "calibrate: no run can be compared");
    if (count < LEARN_VERIFIED)
        hooks_log(&calibrate->hooks, SSIMCU_LOG_WARNING,
                  "calibrate: with %u accepted run%s the rate of false alarms is not verified, "
                  "from %d on it is",
                  count, count == 1 ? "" : "s", LEARN_VERIFIED);
    if (calibrate->tile == 0) calibrate->tile = calibrate_source_tile(calibrate->source);
    calibrate->options.tile = calibrate->tile;
    calibrate->files.contract =
        run_contract_make(&calibrate->options, source_is_video(calibrate->source));
    if (!calibrate->files.contract) return results_no_memory(message);
    return floors_writer_open(calibrate->files.floors, &learner->writer, message);
}

static ssimcu_status score(struct calibrate *calibrate, ssimcu_message *message)
{
    const struct options *options = &calibrate->options;
    struct batch_times times;
    struct batch_config config = {.settings = options->settings,
                                  .all_devices = options->all_devices,
                                  .memory_bytes = options->batch.memory_bytes,
                                  .tile = calibrate->tile,
                                  .tiled = take_tiles,
                                  .take = take,
                                  .user = calibrate};
    const ssimcu_run_hooks *call = &calibrate->hooks.call;
    const struct say to = {hooks_detail, &calibrate->hooks};
    if (calibrate->source->on_device) config.settings.device = SSIMCU_DEVICE_CUDA;
    calibrate->pairs = source_count(calibrate->source);
    calibrate->tries = call->line != NULL;
    if (call->begin) call->begin(call->user, calibrate->pairs);
    ssimcu_status status = batch_run(&config, calibrate->source, &times, message);
    calibrate->hangs = times.abandoned;
    if (call->end) call->end(call->user);
    if (call->log) describe_times(&times, &to);
    if (status == SSIMCU_ERROR_MEMORY && times.lanes == 0) status = SSIMCU_ERROR_DEVICE;
    if (calibrate->status != SSIMCU_OK) /* the cause, if the batch was told to end */
        return ssimcu_fail(message, calibrate->status, "%s", calibrate->message.text);
    return status;
}

/* Returns an error if a video was damaged, whose frames are not all there. */
static ssimcu_status check_damage(const struct calibrate *calibrate, ssimcu_message *message)
{
    const struct source *source = calibrate->source;
    const char *damage = source->damage.text;
    for (uint32_t i = 0; i < source->outs && !damage[0]; i++) damage = source->out[i].damage.text;
    return damage[0] ? ssimcu_fail(message, SSIMCU_ERROR_DATA, "%s", damage) : SSIMCU_OK;
}

static ssimcu_status write_all(struct calibrate *calibrate, ssimcu_message *message)
{
    struct learner *learner = &calibrate->learner;
    ssimcu_status status = learner_end(learner, message);
    if (status == SSIMCU_OK && calibrate->tries)
        status = trials_tell(&learner->found, &calibrate->hooks, message);
    if (status == SSIMCU_OK) status = floors_writer_end(learner->writer, message);
    if (status == SSIMCU_OK)
        status = calibrate_files_write(&calibrate->files, learner, calibrate->tile, message);
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
    if (!calibrate) return results_no_memory(message);
    pthread_mutex_init(&calibrate->hooks.lock, NULL);
    pthread_mutex_init(&calibrate->learner.lock, NULL);
    calibrate->done.struct_size = sizeof calibrate->done;
    const locale_t before = numbers_begin();
    if (hooks)
        status = ssimcu_sized_read(&calibrate->hooks.call, sizeof calibrate->hooks.call,
                                   SSIMCU_RUN_HOOKS_OLDEST, hooks, "run_hooks", &cause);
    if (status == SSIMCU_OK) status = take_options(calibrate, options, &cause);
    if (status == SSIMCU_OK) status = open_all(calibrate, options->run->out, &cause);
    if (status == SSIMCU_OK) status = score(calibrate, &cause);
    if (status == SSIMCU_OK) status = check_damage(calibrate, &cause);
    if (status == SSIMCU_OK) status = write_all(calibrate, &cause);
    numbers_end(before);
    end(calibrate, status, calibrated);
    return status == SSIMCU_OK ? status : ssimcu_fail(message, status, "%s", cause.text);
}
