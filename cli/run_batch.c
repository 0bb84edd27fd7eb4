/* A batch from its options to its exit code: source, scores, results, summary. */
#include "run.h"

#include "fail.h"

#include <jansson.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Where records go, and what they come to. */
struct outcome {
    const struct options *options;
    struct loaded loaded; /* earlier results */
    struct writer *writer;
    struct summary summary;
    struct report_progress progress;
    ssimcu_status status; /* of what ended it before its time */
    ssimcu_message message;
};

static enum exit_code complain(ssimcu_status status, const ssimcu_message *message)
{
    report_line("%s", message->text);
    return status == SSIMCU_ERROR_ARGUMENT ? EXIT_USAGE : exit_code_of(status);
}

/* Whether the pairs' lines go to standard output. */
static bool streams(const struct options *options)
{
    return !options->batch.output && (options->json || options->batch.csv) && !options->quiet;
}

/* Opens what the results go to, and writes the first line. */
static ssimcu_status begin_results(struct outcome *outcome, const struct json_t *contract,
                                   uint32_t shard, uint32_t shards, ssimcu_message *message)
{
    const struct options *options = outcome->options;
    const struct batch_options *batch = &options->batch;
    if (!batch->output && !streams(options)) return SSIMCU_OK;
    if (!contract) return ssimcu_fail(message, SSIMCU_ERROR_MEMORY, "out of memory");
    const ssimcu_status status =
        writer_open(batch->output, batch->csv, batch->resume != NULL, &outcome->writer, message);
    return status != SSIMCU_OK ? status
                               : writer_begin(outcome->writer, contract, shard, shards, message);
}

/* ---- Inputs stay ----------------------------------------------------------------------------- */

static ssimcu_status list_outputs(const struct options *options, struct outputs *outputs,
                                  ssimcu_message *message)
{
    const char *output = options->batch.output, *resume = options->batch.resume;
    ssimcu_status status = SSIMCU_OK;
    if (output && output != resume) /* --resume alone is the output, too */
        status = outputs_add_results(outputs, "--output", output, message);
    if (status == SSIMCU_OK && resume)
        status = outputs_add_results(outputs, "--resume", resume, message);
    return status;
}

struct spared {
    struct outputs outputs;
    ssimcu_status status;
    ssimcu_message *message;
};

static bool spare(void *user, const char *role, const char *path)
{
    struct spared *spared = user;
    const struct output *output = outputs_find(&spared->outputs, path);
    if (output)
        spared->status = ssimcu_fail(spared->message, SSIMCU_ERROR_ARGUMENT,
                                     "%s %.200s: would overwrite an input, %s %.200s",
                                     output->option, output->path, role, path);
    return !output;
}

/* ARGUMENT where an output would replace a file that is read. */
static ssimcu_status spare_inputs(const struct options *options, const struct batch_source *source,
                                  ssimcu_message *message)
{
    struct spared spared = {.message = message};
    spared.status = list_outputs(options, &spared.outputs, message);
    if (spared.status != SSIMCU_OK) return spared.status;
    bool going = !source || batch_visit_files(source, spare, &spared);
    for (int i = 0; i < options->file_count && going; i++) /* of a merge */
        going = spare(&spared, "results", options->files[i]);
    return spared.status;
}

/* ---- Records --------------------------------------------------------------------------------- */

static bool take_record(void *user, const struct record *record, bool known)
{
    struct outcome *outcome = user;
    summary_add(&outcome->summary, record);
    const bool accepted = record->kind == RECORD_SCORED ||
                          (record->kind == RECORD_MISSING && outcome->options->batch.allow_missing);
    if (!accepted) report_complaint(&outcome->progress, record);
    report_progress_pair(&outcome->progress, record, known);
    if (outcome->writer) outcome->status = writer_add(outcome->writer, record, &outcome->message);
    return outcome->status == SSIMCU_OK;
}

static enum exit_code judge(const struct options *options, const struct summary *summary)
{
    const struct batch_options *batch = &options->batch;
    if (summary->scored == 0) return EXIT_INPUT;
    if (!summary->complete || summary->failed > 0 ||
        (summary->missing > 0 && !batch->allow_missing))
        return EXIT_MISMATCH;
    if (summary->mean < options->min_score) return EXIT_BELOW;
    if (summary_below(summary, batch->min_frame) > batch->max_bad) return EXIT_BELOW;
    return EXIT_SCORED;
}

/* The last line of the results, the summary for a person, and the mean on standard output. */
static enum exit_code deliver(struct outcome *outcome)
{
    const struct options *options = outcome->options;
    struct summary *summary = &outcome->summary;
    if (!summary_finish(summary))
        return complain(
            ssimcu_fail(&outcome->message, SSIMCU_ERROR_MEMORY, "out of memory for the summary"),
            &outcome->message);
    if (outcome->status == SSIMCU_OK && outcome->writer)
        outcome->status = writer_end(outcome->writer, summary, &outcome->message);
    if (!options->quiet && (summary->pairs > 0 || summary->complete)) report_summary(summary);
    if (outcome->status != SSIMCU_OK) return complain(outcome->status, &outcome->message);
    const bool mean = !options->quiet && !streams(options) && summary->scored > 0;
    if (mean && !report_score(summary->mean)) return EXIT_OUTPUT;
    return judge(options, summary);
}

static void free_outcome(struct outcome *outcome)
{
    writer_close(outcome->writer);
    summary_free(&outcome->summary);
    loaded_free(&outcome->loaded);
}

/* ---- A run ----------------------------------------------------------------------------------- */

static atomic_int stop_signal; /* 0: none yet; set by a handler, read by every thread */
static timer_t overdue;        /* runs from the first signal on */

static void on_signal(int number)
{
    const struct itimerspec in = {.it_value = {.tv_sec = 1, .tv_nsec = 800000000}};
    stop_signal = number;
    timer_settime(overdue, 0, &in, NULL);
}

/* Even the thread that hands out results hangs, for example in a pipe that nobody reads. */
static void on_overdue(int number)
{
    (void)number;
    _exit(EXIT_SIGNAL + stop_signal);
}

static bool is_stopped(void) { return stop_signal != 0; }

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

static ssimcu_status resume(struct outcome *outcome, const json_t *contract,
                            ssimcu_message *message)
{
    const struct batch_options *options = &outcome->options->batch;
    struct loaded *loaded = &outcome->loaded;
    if (!options->resume) return SSIMCU_OK;
    const bool is_output = options->output && strcmp(options->output, options->resume) == 0;
    const ssimcu_status status = loaded_resume(loaded, options->resume, is_output, message);
    if (status != SSIMCU_OK || !loaded->contract || json_equal(loaded->contract, contract))
        return status;
    return ssimcu_fail(message, SSIMCU_ERROR_MISMATCH,
                       "%.300s: these scores follow another contract (--pad, --color, --alpha)",
                       options->resume);
}

/* The exit code of a batch that has run. */
static enum exit_code conclude(struct outcome *outcome, ssimcu_status status,
                               const ssimcu_message *message)
{
    const int signal_number = stop_signal;
    const enum exit_code code = deliver(outcome);
    if (status != SSIMCU_OK) {
        const enum exit_code failed = complain(status, message);
        return code == EXIT_OUTPUT ? code : failed;
    }
    if (code == EXIT_OUTPUT || code == EXIT_INTERNAL || signal_number == 0) return code;
    const char *output = outcome->summary.pairs > 0 ? outcome->options->batch.output : NULL;
    report_line("stopped by a signal%s%s%s", output ? ": " : "", output ? output : "",
                output ? ".partial holds what is scored, --resume goes on with it" : "");
    return (enum exit_code)(EXIT_SIGNAL + signal_number);
}

static enum exit_code score(struct outcome *outcome, struct batch_source *source)
{
    const struct options *options = outcome->options;
    const struct batch_config config = {.settings = options->settings,
                                        .all_devices = options->all_devices,
                                        .memory_bytes = options->batch.memory_bytes,
                                        .known = outcome->loaded.count > 0 ? find_known : NULL,
                                        .take = take_record,
                                        .user = outcome,
                                        .stopped = is_stopped};
    struct batch_times times;
    ssimcu_message message = {{0}};
    report_progress_start(&outcome->progress,
                          options->quiet ? PROGRESS_NONE : options->batch.progress,
                          batch_count(source));
    const ssimcu_status status = batch_run(&config, source, &times, &message);
    report_progress_end(&outcome->progress);
    if (options->verbose) report_times(&times);
    const int signal_number = stop_signal;
    const bool damaged = source->damage.text[0] != '\0';
    if (damaged && signal_number == 0) report_line("%s", source->damage.text);
    outcome->summary.complete =
        status == SSIMCU_OK && outcome->status == SSIMCU_OK && signal_number == 0 && !damaged;
    const enum exit_code code = conclude(outcome, status, &message);
    if (times.abandoned) _exit(report_flush(true) ? code : EXIT_OUTPUT);
    return code;
}

enum exit_code run_batch(const struct options *options)
{
    struct outcome outcome = {.options = options};
    struct batch_input input = options->input;
    struct batch_source *source = NULL;
    ssimcu_message message = {{0}};
    if (options->map) {
        report_line("--map takes a single pair of pictures");
        return EXIT_USAGE;
    }
    json_t *contract = contract_to_json(&options->settings, 0);
    input.color = options->settings.color;
    input.stopped = is_stopped;
    summary_start(&outcome.summary, options->batch.worst);
    catch_signals();
    ssimcu_status status = batch_open(&input, &source, &message);
    if (status == SSIMCU_OK) status = spare_inputs(options, source, &message);
    if (status == SSIMCU_OK) status = resume(&outcome, contract, &message);
    if (status == SSIMCU_OK)
        status = begin_results(&outcome, contract, input.shard, input.shards, &message);
    enum exit_code code;
    if (status == SSIMCU_OK)
        code = score(&outcome, source);
    else if (is_stopped()) /* while it waited for input */
        code = (enum exit_code)(EXIT_SIGNAL + stop_signal);
    else
        code = complain(status, &message);
    batch_close(source);
    json_decref(contract);
    free_outcome(&outcome);
    return code;
}

/* ---- A merge --------------------------------------------------------------------------------- */

/* Names the shares that are not there; true when all are. */
static bool has_all_shards(const struct loaded *loaded)
{
    bool all = true;
    for (uint32_t i = 1; i <= loaded->shards; i++)
        if (!loaded->seen[i]) {
            report_line("merge: share %u of %u is not there", i, loaded->shards);
            all = false;
        }
    return all;
}

static bool merge_records(struct outcome *outcome)
{
    for (size_t i = 0; i < outcome->loaded.count; i++) {
        struct record record;
        if (!loaded_record(&outcome->loaded, i, &record)) {
            outcome->status = ssimcu_fail(&outcome->message, SSIMCU_ERROR_DATA,
                                          "merge: frame %lld has a damaged line",
                                          (long long)outcome->loaded.line[i].frame);
            return false;
        }
        const bool good = take_record(outcome, &record, true);
        record_clear(&record);
        if (!good) return false;
    }
    return true;
}

static enum exit_code merge(struct outcome *outcome)
{
    const struct options *options = outcome->options;
    struct loaded *loaded = &outcome->loaded;
    ssimcu_message message = {{0}};
    ssimcu_status status = spare_inputs(options, NULL, &message);
    summary_start(&outcome->summary, options->batch.worst);
    report_progress_start(&outcome->progress, PROGRESS_NONE, -1);
    for (int i = 0; i < options->file_count && status == SSIMCU_OK; i++)
        status = loaded_add(loaded, options->files[i], false, &message);
    if (status == SSIMCU_OK && !loaded->contract)
        status = ssimcu_fail(&message, SSIMCU_ERROR_DATA, "merge: no results in these files");
    if (status == SSIMCU_OK) status = begin_results(outcome, loaded->contract, 1, 1, &message);
    if (status != SSIMCU_OK) return complain(status, &message);
    const bool merged = merge_records(outcome);
    if (!loaded->complete) report_line("merge: a file is of a run that was cut short");
    const bool all = has_all_shards(loaded);
    outcome->summary.complete = merged && loaded->complete && all;
    report_progress_end(&outcome->progress);
    return deliver(outcome);
}

enum exit_code run_merge(const struct options *options)
{
    struct outcome outcome = {.options = options};
    const enum exit_code code = merge(&outcome);
    free_outcome(&outcome);
    return code;
}
