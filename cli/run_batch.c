/* A batch from its options to its exit code: source, scores, results, summary. */
#include "delivery.h"
#include "files.h"
#include "out_options.h"
#include "run.h"

#include "fail.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static atomic_int stop_signal; /* 0: none yet; set by a handler, read by every thread */
static timer_t deadline;       /* runs from the first signal on */
static atomic_bool reporting;  /* the report is being made: nothing can be lost or hang any more */

static void on_signal(int number)
{
    const struct itimerspec in = {.it_value = {.tv_sec = 1, .tv_nsec = 800000000}};
    stop_signal = number;
    if (!reporting) timer_settime(deadline, 0, &in, NULL);
}

/* Ends the program if even the thread that hands out results hangs, for example in a full pipe. */
static void on_deadline(int number)
{
    (void)number;
    _exit(EXIT_SIGNAL + stop_signal);
}

static bool is_stopped(void) { return stop_signal != 0; }

/* Tells the report to stop. It asks before and between its pictures, and ends those begun. */
static bool is_report_stopped(void)
{
    reporting = true;
    return is_stopped();
}

/* Catches signals: the first ends the batch within two seconds, the second the program at once. */
static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_deadline};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    sigemptyset(&action.sa_mask);
    stop_signal = 0;
    sigaction(SIGALRM, &action, NULL);
    (void)timer_create(CLOCK_MONOTONIC, &event, &deadline);
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESETHAND;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

/* ---- Each OUT -------------------------------------------------------------------------------- */

/* The run of one OUT, or of the only one. */
struct out_run {
    struct delivery delivery;
    struct source_input input;
    bool left_out;       /* this OUT cannot be compared with REF */
    enum exit_code code; /* what this OUT came to */
};

struct run {
    const struct options *options;
    struct out_options outs;
    struct out_run *out; /* one for each OUT */
    struct files files;
    struct console_progress progress;
    enum exit_code code; /* code of OUTs that are left out */
};

static bool find_known(void *user, struct record *record)
{
    const struct run *run = user;
    return delivery_find_known(&run->out[record->out].delivery, record);
}

/* Returns whether a frame of videos is known for every OUT, before there is a record of it. */
static bool is_known(void *user, int64_t frame)
{
    const struct run *run = user;
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
    return delivery_take(&((struct run *)user)->out[record->out].delivery, record, known);
}

/* Writes the map of a frame beyond a limit of its own; without such limits, of every frame. */
static ssimcu_status draw_map(void *user, ssimcu_context *lane, const struct pair *pair,
                              ssimcu_message *message)
{
    struct delivery *delivery = &((struct run *)user)->out[pair->out].delivery;
    const struct limits *limits = &delivery->options->limits;
    const struct record *record = &pair->record;
    double baseline;
    const bool found = delivery_find_baseline(delivery, record, &baseline);
    const bool limited = limits->min_frame > -INFINITY || limits->min_tile > -INFINITY ||
                         limits->max_drop < INFINITY;
    if (limited && verdict_faults(limits, record, found ? &baseline : NULL) == 0) return SSIMCU_OK;
    return map_files_add(&delivery->maps, lane, pair, message);
}

/* Names an OUT that cannot be compared and leaves it out; the others go on. */
static void leave_out(struct run *run, uint32_t at, const struct source_out *out)
{
    run->out[at].left_out = true;
    console_line("OUT %s is left out: %s", run->out[at].input.path[1], out->message.text);
    const enum exit_code code =
        out->status == SSIMCU_ERROR_ARGUMENT ? EXIT_USAGE : console_exit_code(out->status);
    if (code > run->code) run->code = code;
}

static void make_out(struct run *run, uint32_t at)
{
    struct out_run *out = &run->out[at];
    const struct options *options = &run->outs.options[at];
    out->input = options->input;
    out->input.outs = 0;
    out->input.color = options->settings.color;
    out->input.stopped = is_stopped;
    out->delivery = (struct delivery){.options = options,
                                      .label = run->outs.count > 1 ? out->input.path[1] : NULL,
                                      .input = &out->input,
                                      .settings = &options->settings,
                                      .maps.lock = PTHREAD_MUTEX_INITIALIZER,
                                      .progress = &run->progress,
                                      .seconds = -1,
                                      .stopped = is_report_stopped};
}

/* Checks the files of all OUTs before the first output is opened. */
static ssimcu_status begin_all(struct run *run, const struct source *source,
                               ssimcu_message *message)
{
    ssimcu_status status = out_options_open(run->options, &run->outs, message);
    if (status == SSIMCU_OK && !(run->out = calloc(run->outs.count, sizeof *run->out)))
        status = ssimcu_fail(message, SSIMCU_ERROR_MEMORY, "out of memory");
    for (uint32_t i = 0; status == SSIMCU_OK && i < run->outs.count; i++) {
        make_out(run, i);
        if (source->out[i].status != SSIMCU_OK)
            leave_out(run, i, &source->out[i]);
        else
            status = files_add(&run->files, run->out[i].delivery.options, false, message);
    }
    if (status == SSIMCU_OK) status = files_check(&run->files, source, message);
    for (uint32_t i = 0; status == SSIMCU_OK && i < run->outs.count; i++)
        if (!run->out[i].left_out) status = delivery_begin(&run->out[i].delivery, source, message);
    return status;
}

static void end_all(struct run *run)
{
    for (uint32_t i = 0; run->out && i < run->outs.count; i++) delivery_free(&run->out[i].delivery);
    free(run->out);
    files_free(&run->files);
    out_options_close(&run->outs);
}

/* ---- The run --------------------------------------------------------------------------------- */

static void describe(const struct source *source)
{
    char text[512];
    for (uint32_t side = 0; side <= source->outs; side++)
        if (source_describe(source, side, text, sizeof text)) console_line("%s", text);
}

/* Ends all results before the reports, which take a while. Returns the highest exit code. */
static enum exit_code deliver(struct run *run, bool *report_stopped)
{
    enum exit_code worst = run->code;
    for (uint32_t i = 0; i < run->outs.count; i++)
        if (!run->out[i].left_out) run->out[i].code = delivery_end(&run->out[i].delivery);
    for (uint32_t i = 0; i < run->outs.count; i++) {
        struct out_run *out = &run->out[i];
        if (out->left_out) continue;
        out->code = delivery_report(&out->delivery, out->code);
        *report_stopped = *report_stopped || out->delivery.report_stopped;
        if (out->code > worst) worst = out->code;
    }
    return worst;
}

/* Returns whether unfinished results hold a record. */
static bool has_unfinished(const struct run *run)
{
    bool unfinished = false;
    for (uint32_t i = 0; i < run->outs.count; i++) {
        const struct summary *summary = &run->out[i].delivery.summary;
        unfinished = unfinished || (summary->pairs > 0 && !summary->complete);
    }
    return unfinished;
}

/* Ends a batch that has run, and returns its exit code. */
static enum exit_code conclude(struct run *run, ssimcu_status status, const ssimcu_message *message)
{
    const int before = stop_signal;
    bool report_stopped = false;
    const enum exit_code code = deliver(run, &report_stopped);
    const int signal_number = report_stopped ? stop_signal : before;
    if (status != SSIMCU_OK) {
        const enum exit_code failed = delivery_complain(status, message);
        return code == EXIT_OUTPUT ? code : failed;
    }
    if (code == EXIT_OUTPUT || code == EXIT_INTERNAL || signal_number == 0) return code;
    const char *output = has_unfinished(run) ? run->options->batch.output : NULL;
    console_line("stopped by a signal%s%s%s%s", output ? ": " : "", output ? output : "",
                 output && run->outs.count == 1 ? ".partial" : "",
                 output ? " holds what is scored, --resume goes on with it" : "");
    return (enum exit_code)(EXIT_SIGNAL + signal_number);
}

/* Notes which results are complete. */
static void note_complete(struct run *run, const struct source *source, bool whole)
{
    for (uint32_t i = 0; i < run->outs.count; i++)
        whole = whole && run->out[i].delivery.status == SSIMCU_OK;
    if (source->damage.text[0] && stop_signal == 0) console_line("%s", source->damage.text);
    for (uint32_t i = 0; i < run->outs.count; i++) {
        const char *damage = source->out[i].damage.text;
        const bool said =
            strcmp(damage, source->damage.text) == 0; /* REF is the same file as OUT */
        if (damage[0] && !said && stop_signal == 0) console_line("%s", damage);
        run->out[i].delivery.summary.complete = whole && !damage[0] && !source->damage.text[0];
    }
}

static enum exit_code score(struct run *run, struct source *source)
{
    const struct options *options = run->options;
    bool known = false;
    for (uint32_t i = 0; i < run->outs.count; i++)
        known = known || run->out[i].delivery.earlier.count > 0;
    struct batch_config config = {.settings = options->settings,
                                  .all_devices = options->all_devices,
                                  .memory_bytes = options->batch.memory_bytes,
                                  .tile = options->tile,
                                  .scored = options->map ? draw_map : NULL,
                                  .bytes_per_byte = options->map ? MAP_BYTES_PER_BYTE : 0,
                                  .known = known ? find_known : NULL,
                                  .take = take,
                                  .user = run,
                                  .stopped = is_stopped};
    struct batch_times times;
    ssimcu_message message = {{0}};
    if (source->on_device) config.settings.device = SSIMCU_DEVICE_CUDA; /* the frames are there */
    source->scored = known ? is_known : NULL;
    source->user = run;
    console_progress_start(&run->progress, options->quiet ? PROGRESS_NONE : options->batch.progress,
                           source_count(source));
    ssimcu_status status = batch_run(&config, source, &times, &message);
    if (run->outs.count == 1) run->out->delivery.seconds = times.whole / 1e3;
    const bool no_device = options->settings.device == SSIMCU_DEVICE_CUDA && times.lanes == 0;
    if (status == SSIMCU_ERROR_MEMORY && no_device)
        status = SSIMCU_ERROR_DEVICE; /* the device's memory */
    console_progress_end(&run->progress);
    if (options->verbose) console_times(&times);
    note_complete(run, source, status == SSIMCU_OK && stop_signal == 0);
    const enum exit_code code = conclude(run, status, &message);
    if (times.abandoned) _exit(console_flush(true) ? code : EXIT_OUTPUT);
    return code;
}

static bool has_out_to_score(const struct run *run)
{
    for (uint32_t i = 0; i < run->outs.count; i++)
        if (!run->out[i].left_out) return true;
    return false;
}

/* Withdraws what earlier runs have left for every OUT. */
static void withdraw(struct run *run, ssimcu_status status, const ssimcu_message *why)
{
    ssimcu_message ignored = {{0}};
    const bool made = run->out != NULL;       /* the options of each OUT are there */
    if (!made && run->outs.count > 0) return; /* they could not be made */
    if (!made && out_options_open(run->options, &run->outs, &ignored) != SSIMCU_OK) return;
    for (uint32_t i = 0; i < run->outs.count; i++)
        delivery_withdraw(&run->outs.options[i], status, why);
}

static void withdraw_left_out(const struct run *run, const struct source *source)
{
    for (uint32_t i = 0; i < run->outs.count; i++)
        if (run->out[i].left_out)
            delivery_withdraw(&run->outs.options[i], source->out[i].status,
                              &source->out[i].message);
}

/* Ends a run that came to no score, and returns its exit code. */
static enum exit_code end_early(struct run *run, ssimcu_status status, ssimcu_message *message)
{
    enum exit_code code = run->code; /* every OUT is left out */
    if (is_stopped()) {              /* a signal came while it waited for input */
        code = (enum exit_code)(EXIT_SIGNAL + stop_signal);
        status = SSIMCU_ERROR_INTERNAL;
        *message = (ssimcu_message){"stopped by a signal"};
    } else if (status != SSIMCU_OK) {
        code = delivery_complain(status, message);
    }
    if (status != SSIMCU_OK) withdraw(run, status, message);
    return code;
}

enum exit_code run_batch(const struct options *options)
{
    struct source_input input = options->input;
    struct run run = {.options = options};
    struct source *source = NULL;
    ssimcu_message message = {{0}};
    input.color = options->settings.color;
    input.stopped = is_stopped;
    catch_signals();
    ssimcu_status status = source_open(&input, &source, &message);
    if (status == SSIMCU_OK && options->verbose) describe(source);
    if (status == SSIMCU_OK) status = begin_all(&run, source, &message);
    const enum exit_code code = status == SSIMCU_OK && has_out_to_score(&run)
                                    ? score(&run, source)
                                    : end_early(&run, status, &message);
    if (status == SSIMCU_OK) withdraw_left_out(&run, source);
    source_close(source);
    end_all(&run);
    return code;
}
