/* A batch from its options to its exit code: source, scores, results, summary. */
#include "delivery.h"
#include "out_options.h"
#include "run.h"
#include "run_header.h"

#include "fail.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
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

/* ---- Each OUT -------------------------------------------------------------------------------- */

/* An OUT, or the only one. */
struct one {
    struct delivery delivery;
    struct source_input input;
    struct header header;
    bool left_out;       /* it cannot be compared with REF */
    enum exit_code code; /* what it came to */
};

struct run {
    const struct options *options;
    struct outs outs;
    struct one *one; /* of each */
    struct console_progress progress;
    enum exit_code code; /* of OUTs that are left out */
};

/* Whether an earlier run has scored these files as they are; the record is then that one. */
static bool find_known(void *user, struct record *record)
{
    struct run *run = user;
    struct record old;
    if (!earlier_find(&run->one[record->out].delivery.earlier, record->frame, &old)) return false;
    const bool same = record_same_files(&old, record);
    record_clear(same ? record : &old);
    if (same) *record = old;
    return same;
}

/* The same of a frame of videos, of every OUT, before there is a record of it. */
static bool is_known(void *user, int64_t frame)
{
    const struct run *run = user;
    bool known = true;
    for (uint32_t i = 0; i < run->outs.count && known; i++) {
        struct record record = {.frame = frame, .out = i};
        if (run->one[i].left_out) continue;
        for (int side = 0; side < 2; side++)
            (void)record_name(&record, side, run->one[i].input.path[side]);
        known = record.kind != RECORD_FAILED && find_known(user, &record);
        record_clear(&record);
    }
    return known;
}

static bool take(void *user, const struct record *record, bool known)
{
    return delivery_take(&((struct run *)user)->one[record->out].delivery, record, known);
}

/* Writes the map of a frame beyond a limit of its own; of every frame where there is none. */
static ssimcu_status draw_map(void *user, ssimcu_context *lane, const struct pair *pair,
                              ssimcu_message *message)
{
    struct delivery *delivery = &((struct run *)user)->one[pair->out].delivery;
    const struct limits *limits = &delivery->options->limits;
    const struct record *record = &pair->record;
    double baseline;
    const bool held = delivery_find_baseline(delivery, record, &baseline);
    const bool limited = limits->min_frame > -INFINITY || limits->min_tile > -INFINITY ||
                         limits->max_drop < INFINITY;
    if (limited && verdict_faults(limits, record, held ? &baseline : NULL) == 0) return SSIMCU_OK;
    return map_files_add(&delivery->maps, lane, pair, message);
}

/* Takes over what is scored already, if it is of this batch. */
static ssimcu_status resume(struct delivery *delivery, struct header *header,
                            ssimcu_message *message)
{
    const struct options *options = delivery->options;
    const char *path = options->batch.resume;
    struct earlier *earlier = &delivery->earlier;
    if (!path) return SSIMCU_OK;
    ssimcu_status status = earlier_resume(earlier, path, message);
    if (status != SSIMCU_OK || !earlier->header.contract) return status;
    status = header_check(header, &earlier->header, path, message);
    if (status == SSIMCU_OK && delivery_goes_on(options))
        status = earlier_save(earlier, path, message);
    if (status == SSIMCU_OK && earlier->count > 0) header_join_devices(header, &earlier->header);
    return status;
}

/* All that precedes the first score. */
static ssimcu_status begin(struct one *one, const struct source *source, ssimcu_message *message)
{
    struct delivery *delivery = &one->delivery;
    const struct options *options = delivery->options;
    struct header *header = &one->header;
    ssimcu_status status = run_header_make(options, source_is_video(source), header, message);
    if (status == SSIMCU_OK) status = delivery_start(delivery, header->contract, message);
    if (status == SSIMCU_OK) status = delivery_open_report(delivery, message);
    if (status == SSIMCU_OK) status = delivery_spare_inputs(delivery, source, message);
    if (status == SSIMCU_OK) status = map_files_open(&delivery->maps, options, source, message);
    if (status == SSIMCU_OK) status = delivery_open(delivery, message);
    if (status == SSIMCU_OK) status = resume(delivery, header, message);
    return status == SSIMCU_OK ? delivery_begin(delivery, header, message) : status;
}

/* An OUT that cannot be compared is named, and the others go on. */
static void leave_out(struct run *run, uint32_t at, const struct source_out *out)
{
    run->one[at].left_out = true;
    console_line("OUT %s is left out: %s", run->one[at].input.path[1], out->message.text);
    const enum exit_code code =
        out->status == SSIMCU_ERROR_ARGUMENT ? EXIT_USAGE : exit_code_of(out->status);
    if (code > run->code) run->code = code;
}

static ssimcu_status begin_all(struct run *run, const struct source *source,
                               ssimcu_message *message)
{
    ssimcu_status status = out_options_open(run->options, &run->outs, message);
    if (status == SSIMCU_OK && !(run->one = calloc(run->outs.count, sizeof *run->one)))
        status = ssimcu_fail(message, SSIMCU_ERROR_MEMORY, "out of memory");
    for (uint32_t i = 0; status == SSIMCU_OK && i < run->outs.count; i++) {
        struct one *one = &run->one[i];
        const struct options *options = &run->outs.options[i];
        one->input = options->input;
        one->input.outs = 0;
        one->input.color = options->settings.color;
        one->input.stopped = is_stopped;
        one->delivery = (struct delivery){.options = options,
                                          .label = run->outs.count > 1 ? one->input.path[1] : NULL,
                                          .input = &one->input,
                                          .settings = &options->settings,
                                          .maps.lock = PTHREAD_MUTEX_INITIALIZER,
                                          .progress = &run->progress,
                                          .seconds = -1,
                                          .stopped = is_report_stopped};
        if (source->out[i].status != SSIMCU_OK)
            leave_out(run, i, &source->out[i]);
        else
            status = begin(one, source, message);
    }
    return status;
}

static void end_all(struct run *run)
{
    for (uint32_t i = 0; run->one && i < run->outs.count; i++) {
        header_clear(&run->one[i].header);
        delivery_free(&run->one[i].delivery);
    }
    free(run->one);
    out_options_close(&run->outs);
}

/* ---- The run --------------------------------------------------------------------------------- */

static void describe(const struct source *source)
{
    char text[512];
    for (uint32_t side = 0; side <= source->outs; side++)
        if (source_describe(source, side, text, sizeof text)) console_line("%s", text);
}

/* All results first: a report takes its time. Returns the highest of the exit codes. */
static enum exit_code deliver(struct run *run, bool *report_stopped)
{
    enum exit_code worst = run->code;
    for (uint32_t i = 0; i < run->outs.count; i++)
        if (!run->one[i].left_out) run->one[i].code = delivery_end(&run->one[i].delivery);
    for (uint32_t i = 0; i < run->outs.count; i++) {
        struct one *one = &run->one[i];
        if (one->left_out) continue;
        one->code = delivery_report(&one->delivery, one->code);
        *report_stopped = *report_stopped || one->delivery.report_stopped;
        if (one->code > worst) worst = one->code;
    }
    return worst;
}

/* Whether results were left unfinished that hold something. */
static bool is_left(const struct run *run)
{
    bool left = false;
    for (uint32_t i = 0; i < run->outs.count; i++) {
        const struct summary *summary = &run->one[i].delivery.summary;
        left = left || (summary->pairs > 0 && !summary->complete);
    }
    return left;
}

/* The exit code of a batch that has run. */
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
    const char *output = is_left(run) ? run->options->batch.output : NULL;
    console_line("stopped by a signal%s%s%s%s", output ? ": " : "", output ? output : "",
                 output && run->outs.count == 1 ? ".partial" : "",
                 output ? " holds what is scored, --resume goes on with it" : "");
    return (enum exit_code)(EXIT_SIGNAL + signal_number);
}

/* Notes which results are whole. */
static void note_complete(struct run *run, const struct source *source, bool whole)
{
    for (uint32_t i = 0; i < run->outs.count; i++)
        whole = whole && run->one[i].delivery.status == SSIMCU_OK;
    if (source->damage.text[0] && stop_signal == 0) console_line("%s", source->damage.text);
    for (uint32_t i = 0; i < run->outs.count; i++) {
        const char *damage = source->out[i].damage.text;
        const bool said = strcmp(damage, source->damage.text) == 0; /* REF is OUT */
        if (damage[0] && !said && stop_signal == 0) console_line("%s", damage);
        run->one[i].delivery.summary.complete = whole && !damage[0] && !source->damage.text[0];
    }
}

static enum exit_code score(struct run *run, struct source *source)
{
    const struct options *options = run->options;
    bool known = false;
    for (uint32_t i = 0; i < run->outs.count; i++)
        known = known || run->one[i].delivery.earlier.count > 0;
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
    if (source->on_device) config.settings.device = SSIMCU_DEVICE_CUDA; /* where the frames are */
    source->scored = known ? is_known : NULL;
    source->user = run;
    console_progress_start(&run->progress, options->quiet ? PROGRESS_NONE : options->batch.progress,
                           source_count(source));
    ssimcu_status status = batch_run(&config, source, &times, &message);
    if (run->outs.count == 1) run->one->delivery.seconds = times.whole / 1e3;
    const bool no_device = options->settings.device == SSIMCU_DEVICE_CUDA && times.lanes == 0;
    if (status == SSIMCU_ERROR_MEMORY && no_device) status = SSIMCU_ERROR_DEVICE; /* its memory */
    console_progress_end(&run->progress);
    if (options->verbose) console_times(&times);
    note_complete(run, source, status == SSIMCU_OK && stop_signal == 0);
    const enum exit_code code = conclude(run, status, &message);
    if (times.abandoned) _exit(console_flush(true) ? code : EXIT_OUTPUT);
    return code;
}

static bool is_any_left(const struct run *run)
{
    for (uint32_t i = 0; i < run->outs.count; i++)
        if (!run->one[i].left_out) return true;
    return false;
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
    enum exit_code code = run.code;
    if (status == SSIMCU_OK && is_any_left(&run))
        code = score(&run, source);
    else if (is_stopped()) /* while it waited for input */
        code = (enum exit_code)(EXIT_SIGNAL + stop_signal);
    else if (status != SSIMCU_OK)
        code = delivery_complain(status, &message);
    source_close(source);
    end_all(&run);
    return code;
}
