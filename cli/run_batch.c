/* A batch from its options to its exit code: source, scores, results, summary. */
#include "identity.h"
#include "outcome.h"
#include "run.h"

#include "fail.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static atomic_int stop_signal; /* 0: none yet; set by a handler, read by every thread */
static timer_t overdue;        /* runs from the first signal on */
static atomic_bool reporting;  /* the report is being made: nothing can be lost or hang any more */

static void on_signal(int number)
{
    const struct itimerspec in = {.it_value = {.tv_sec = 1, .tv_nsec = 800000000}};
    stop_signal = number;
    if (!reporting) timer_settime(overdue, 0, &in, NULL);
}

/* Even the thread that hands out results hangs, for example in a pipe that nobody reads. */
static void on_overdue(int number)
{
    (void)number;
    _exit(EXIT_SIGNAL + stop_signal);
}

static bool is_stopped(void) { return stop_signal != 0; }

/* What the report asks before and between its pictures: it ends after those that are begun. */
static bool is_report_stopped(void)
{
    reporting = true;
    return is_stopped();
}

/* The first signal ends the batch within two seconds, the second the program at once. */
static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_overdue};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    sigemptyset(&action.sa_mask);
    stop_signal = 0;
    sigaction(SIGALRM, &action, NULL);
    (void)timer_create(CLOCK_MONOTONIC, &event, &overdue);
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESETHAND;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

/* Whether an earlier run has scored these files as they are; the record is then that one. */
static bool find_known(void *user, struct record *record)
{
    struct outcome *outcome = user;
    struct record old;
    if (!loaded_find(&outcome->loaded, record->frame, &old)) return false;
    const bool same = record_same_files(&old, record);
    record_clear(same ? record : &old);
    if (same) *record = old;
    return same;
}

/* The same of a frame of two videos, before there is a record of it. */
static bool is_known(void *user, int64_t frame)
{
    struct outcome *outcome = user;
    struct record record = {.frame = frame};
    for (int side = 0; side < 2; side++)
        (void)record_name(&record, side, outcome->input->path[side]);
    const bool known = record.kind != RECORD_FAILED && find_known(outcome, &record);
    record_clear(&record);
    return known;
}

/* Takes over what is scored already, if it is of this batch. */
static ssimcu_status resume(struct outcome *outcome, struct header *header, ssimcu_message *message)
{
    const struct options *options = outcome->options;
    const char *path = options->batch.resume;
    struct loaded *loaded = &outcome->loaded;
    if (!path) return SSIMCU_OK;
    ssimcu_status status = loaded_resume(loaded, path, message);
    if (status != SSIMCU_OK || !loaded->header.contract) return status;
    status = header_check(header, &loaded->header, path, message);
    if (status == SSIMCU_OK && outcome_goes_on(options))
        status = loaded_save(loaded, path, message);
    if (status == SSIMCU_OK && loaded->count > 0) header_join_devices(header, &loaded->header);
    return status;
}

/* Writes the map of a frame beyond a limit of its own; of every frame where there is none. */
static ssimcu_status draw_map(void *user, ssimcu_context *lane, const struct batch_pair *pair,
                              ssimcu_message *message)
{
    struct outcome *outcome = user;
    const struct limits *limits = &outcome->options->limits;
    const struct record *record = &pair->record;
    double baseline;
    const bool held = outcome_find_baseline(outcome, record, &baseline);
    const bool limited = limits->min_frame > -INFINITY || limits->min_tile > -INFINITY ||
                         limits->max_drop < INFINITY;
    if (limited && verdict_faults(limits, record, held ? &baseline : NULL) == 0) return SSIMCU_OK;
    return map_files_add(&outcome->maps, lane, pair, message);
}

static void describe(const struct batch_source *source)
{
    char text[512];
    for (int side = 0; side < 2; side++)
        if (batch_describe(source, side, text, sizeof text)) console_line("%s", text);
}

/* The exit code of a batch that has run. */
static enum exit_code conclude(struct outcome *outcome, ssimcu_status status,
                               const ssimcu_message *message)
{
    const int before = stop_signal;
    const enum exit_code code = outcome_deliver(outcome);
    const int signal_number = outcome->report_stopped ? stop_signal : before;
    if (status != SSIMCU_OK) {
        const enum exit_code failed = outcome_complain(status, message);
        return code == EXIT_OUTPUT ? code : failed;
    }
    if (code == EXIT_OUTPUT || code == EXIT_INTERNAL || signal_number == 0) return code;
    const bool left = outcome->summary.pairs > 0 && !outcome->summary.complete;
    const char *output = left ? outcome->options->batch.output : NULL;
    console_line("stopped by a signal%s%s%s", output ? ": " : "", output ? output : "",
                 output ? ".partial holds what is scored, --resume goes on with it" : "");
    return (enum exit_code)(EXIT_SIGNAL + signal_number);
}

static enum exit_code score(struct outcome *outcome, struct batch_source *source)
{
    const struct options *options = outcome->options;
    const struct batch_config config = {.settings = options->settings,
                                        .all_devices = options->all_devices,
                                        .memory_bytes = options->batch.memory_bytes,
                                        .tile = options->tile,
                                        .scored = options->map ? draw_map : NULL,
                                        .bytes_per_byte = options->map ? MAP_BYTES_PER_BYTE : 0,
                                        .known = outcome->loaded.count > 0 ? find_known : NULL,
                                        .take = outcome_take,
                                        .user = outcome,
                                        .stopped = is_stopped};
    struct batch_times times;
    ssimcu_message message = {{0}};
    source->scored = outcome->loaded.count > 0 ? is_known : NULL;
    source->user = outcome;
    console_progress_start(&outcome->progress,
                           options->quiet ? PROGRESS_NONE : options->batch.progress,
                           batch_count(source));
    ssimcu_status status = batch_run(&config, source, &times, &message);
    outcome->seconds = times.whole / 1e3;
    const bool no_device = options->settings.device == SSIMCU_DEVICE_CUDA && times.lanes == 0;
    if (status == SSIMCU_ERROR_MEMORY && no_device) status = SSIMCU_ERROR_DEVICE; /* its memory */
    console_progress_end(&outcome->progress);
    if (options->verbose) console_times(&times);
    const int signal_number = stop_signal;
    const bool damaged = source->damage.text[0] != '\0';
    if (damaged && signal_number == 0) console_line("%s", source->damage.text);
    outcome->summary.complete =
        status == SSIMCU_OK && outcome->status == SSIMCU_OK && signal_number == 0 && !damaged;
    const enum exit_code code = conclude(outcome, status, &message);
    if (times.abandoned) _exit(console_flush(true) ? code : EXIT_OUTPUT);
    return code;
}

enum exit_code run_batch(const struct options *options)
{
    struct batch_input input = options->input;
    struct outcome outcome = {.options = options,
                              .input = &input,
                              .settings = &options->settings,
                              .maps.lock = PTHREAD_MUTEX_INITIALIZER,
                              .seconds = -1,
                              .stopped = is_report_stopped};
    struct batch_source *source = NULL;
    ssimcu_message message = {{0}};
    struct header header = {0};
    input.color = options->settings.color;
    input.stopped = is_stopped;
    catch_signals();
    ssimcu_status status = batch_open(&input, &source, &message);
    if (status == SSIMCU_OK && options->verbose) describe(source);
    if (status == SSIMCU_OK)
        status = identity_of(options, batch_is_video(source), &header, &message);
    if (status == SSIMCU_OK) status = outcome_start(&outcome, header.contract, &message);
    if (status == SSIMCU_OK) status = outcome_open_report(&outcome, &message);
    if (status == SSIMCU_OK) status = outcome_spare_inputs(&outcome, source, &message);
    if (status == SSIMCU_OK) status = map_files_open(&outcome.maps, options, source, &message);
    if (status == SSIMCU_OK) status = outcome_open(&outcome, &message);
    if (status == SSIMCU_OK) status = resume(&outcome, &header, &message);
    if (status == SSIMCU_OK) status = outcome_begin(&outcome, &header, &message);
    enum exit_code code;
    if (status == SSIMCU_OK)
        code = score(&outcome, source);
    else if (is_stopped()) /* while it waited for input */
        code = (enum exit_code)(EXIT_SIGNAL + stop_signal);
    else
        code = outcome_complain(status, &message);
    batch_close(source);
    header_clear(&header);
    outcome_free(&outcome);
    return code;
}
