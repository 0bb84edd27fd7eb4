/* A batch from its options to its exit code: source, engine, results, summary. */
#define _POSIX_C_SOURCE 200809L

#include "batch.h"

#include "fail.h"

#include "batch/engine.h"
#include "progress.h"
#include "results/results.h"

#include <inttypes.h>
#include <jansson.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static atomic_int stop_signal; /* 0: none yet; set by a handler, read by every thread */

static void on_signal(int number) { stop_signal = number; }

static bool is_stopped(void) { return stop_signal != 0; }

/* The second signal ends the program at once. */
static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    stop_signal = 0;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

struct batch {
    const struct options *options;
    struct loaded loaded; /* earlier results */
    struct results *results;
    struct summary summary;
    struct progress_state progress;
    ssimcu_status status; /* of what ended it before its time */
    ssimcu_message message;
};

static enum exit_code complain(ssimcu_status status, const ssimcu_message *message)
{
    fprintf(stderr, "ssimcu: %s\n", message->text);
    return status == SSIMCU_ERROR_ARGUMENT ? EXIT_USAGE : exit_code_of(status);
}

/* Whether the frames' lines go to standard output. */
static bool streams(const struct options *options)
{
    return !options->batch.output && (options->json || options->batch.csv) && !options->quiet;
}

/* ---- Records --------------------------------------------------------------------------------- */

/* Whether an earlier run has scored these files as they are; the record is then that one. */
static bool find_known(void *user, struct record *record)
{
    struct batch *batch = user;
    struct record old;
    const char *line = loaded_find(&batch->loaded, record->frame);
    if (!line || !record_from_json(line, &old)) return false;
    const bool same = old.kind == RECORD_SCORED && record_same_files(&old, record);
    record_clear(same ? record : &old);
    if (same) *record = old;
    return same;
}

static bool take_record(void *user, const struct record *record, bool known)
{
    struct batch *batch = user;
    summary_add(&batch->summary, record);
    const bool accepted = record->kind == RECORD_SCORED ||
                          (record->kind == RECORD_MISSING && batch->options->batch.allow_missing);
    if (!accepted) progress_complain(&batch->progress, record);
    progress_frame(&batch->progress, record, known);
    if (batch->results) batch->status = results_add(batch->results, record, &batch->message);
    return batch->status == SSIMCU_OK;
}

/* ---- The end --------------------------------------------------------------------------------- */

static enum exit_code judge(const struct options *options, const struct summary *summary)
{
    const struct batch_options *batch = &options->batch;
    if (summary->scored == 0) return EXIT_INPUT;
    if (summary->failed > 0 || (summary->missing > 0 && !batch->allow_missing))
        return EXIT_MISMATCH;
    if (options->has_min_score && summary->mean < options->min_score) return EXIT_BELOW;
    if (batch->has_min_frame && summary_below(summary, batch->min_frame) > batch->max_bad)
        return EXIT_BELOW;
    return EXIT_SCORED;
}

/* The last line of the results, the summary for a person, and the mean on standard output. */
static enum exit_code deliver(struct batch *batch)
{
    const struct options *options = batch->options;
    struct summary *summary = &batch->summary;
    if (!summary_finish(summary)) {
        (void)ssimcu_fail(&batch->message, SSIMCU_OK, "out of memory for the summary");
        return complain(SSIMCU_ERROR_MEMORY, &batch->message);
    }
    if (batch->status == SSIMCU_OK && batch->results)
        batch->status = results_end(batch->results, summary, &batch->message);
    if (!options->quiet && (summary->frames > 0 || summary->complete)) summary_print(summary);
    if (batch->status != SSIMCU_OK) return complain(batch->status, &batch->message);
    const bool mean = !options->quiet && !streams(options) && summary->scored > 0;
    if (mean && (printf("%.9f\n", summary->mean) < 0 || fflush(stdout) != 0)) {
        perror("ssimcu: standard output");
        return EXIT_OUTPUT;
    }
    return judge(options, summary);
}

/* Opens what the results go to, and writes the first line. */
static ssimcu_status begin_results(struct batch *batch, json_t *contract, uint32_t shard,
                                   uint32_t shards, ssimcu_message *message)
{
    const struct options *options = batch->options;
    if (!options->batch.output && !streams(options)) return SSIMCU_OK;
    if (!contract) return ssimcu_fail(message, SSIMCU_ERROR_MEMORY, "out of memory");
    ssimcu_status status = results_open(options->batch.output, options->batch.csv,
                                        options->batch.resume != NULL, &batch->results, message);
    return status != SSIMCU_OK ? status
                               : results_begin(batch->results, contract, shard, shards, message);
}

static void free_batch(struct batch *batch)
{
    results_close(batch->results);
    summary_free(&batch->summary);
    loaded_free(&batch->loaded);
}

/* ---- A run ----------------------------------------------------------------------------------- */

static ssimcu_status resume(struct batch *batch, const json_t *contract, ssimcu_message *message)
{
    const struct batch_options *options = &batch->options->batch;
    if (!options->resume) return SSIMCU_OK;
    const bool is_output = options->output && strcmp(options->output, options->resume) == 0;
    const ssimcu_status status = loaded_resume(&batch->loaded, options->resume, is_output, message);
    if (status != SSIMCU_OK || !batch->loaded.contract ||
        json_equal(batch->loaded.contract, contract))
        return status;
    return ssimcu_fail(message, SSIMCU_ERROR_MISMATCH,
                       "%.300s: these scores follow another contract (--pad, --color, --alpha)",
                       options->resume);
}

static void print_times(const struct engine_times *t)
{
    fprintf(stderr, "ssimcu: backend %s: %s\n", t->device, t->reason);
    fprintf(stderr,
            "ssimcu: %" PRIu64 " pairs in %.0f ms (device start %.0f ms before): %u decoding "
            "threads, %u lanes, %" PRIu64 " slots, at most %.0f of %.0f MiB for frames\n",
            t->frames, t->whole, t->start, t->threads, t->lanes, t->slots,
            (double)t->memory_peak / 1048576, (double)t->memory_limit / 1048576);
    fprintf(stderr,
            "ssimcu: ms of all threads: decode %.0f, score %.0f; of that on the device: upload "
            "%.0f, permute %.0f, ssim %.0f, reduce %.0f, download %.0f\n",
            t->decode, t->score, t->stage.upload, t->stage.planes, t->stage.ssim, t->stage.reduce,
            t->stage.download);
}

static enum exit_code run_engine(struct batch *batch, struct source *source)
{
    const struct options *options = batch->options;
    const struct engine_plan plan = {.options = options,
                                     .source = source,
                                     .stopped = is_stopped,
                                     .known = batch->loaded.count > 0 ? find_known : NULL,
                                     .take = take_record,
                                     .user = batch};
    struct engine_times times = {0};
    ssimcu_message message = {{0}};
    progress_start(&batch->progress, options->quiet ? PROGRESS_NONE : options->batch.progress,
                   source_count(source));
    const ssimcu_status status = engine_run(&plan, &times, &message);
    progress_end(&batch->progress);
    if (options->verbose) print_times(&times);
    const int signal_number = stop_signal;
    batch->summary.complete =
        status == SSIMCU_OK && batch->status == SSIMCU_OK && signal_number == 0;
    const enum exit_code code = deliver(batch);
    if (status != SSIMCU_OK) {
        const enum exit_code failed = complain(status, &message);
        return code == EXIT_OUTPUT ? code : failed;
    }
    if (code == EXIT_OUTPUT || code == EXIT_INTERNAL || signal_number == 0) return code;
    const char *output = batch->summary.frames > 0 ? options->batch.output : NULL;
    fprintf(stderr, "ssimcu: stopped by a signal%s%s%s\n", output ? ": " : "", output ? output : "",
            output ? ".partial holds what is scored, --resume goes on with it" : "");
    return (enum exit_code)(EXIT_SIGNAL + signal_number);
}

static enum exit_code run_with(struct batch *batch, json_t *contract)
{
    const struct options *options = batch->options;
    struct source *source = NULL;
    ssimcu_message message = {{0}};
    summary_start(&batch->summary, options->batch.worst);
    catch_signals();
    ssimcu_status status = source_open(options, is_stopped, &source, &message);
    if (status == SSIMCU_OK) status = resume(batch, contract, &message);
    if (status == SSIMCU_OK)
        status =
            begin_results(batch, contract, options->batch.shard, options->batch.shards, &message);
    enum exit_code code = EXIT_INTERNAL;
    if (status == SSIMCU_OK)
        code = run_engine(batch, source);
    else if (is_stopped()) /* while it waited for input */
        code = (enum exit_code)(EXIT_SIGNAL + stop_signal);
    else
        code = complain(status, &message);
    source_close(source);
    return code;
}

enum exit_code batch_run(const struct options *options)
{
    struct batch batch = {.options = options};
    if (options->map) {
        fprintf(stderr, "ssimcu: --map takes a single pair of pictures\n");
        return EXIT_USAGE;
    }
    json_t *contract = record_json_contract(&options->settings);
    const enum exit_code code = run_with(&batch, contract);
    json_decref(contract);
    free_batch(&batch);
    return code;
}

/* ---- A merge --------------------------------------------------------------------------------- */

/* Names the shares that are not there; true when all are. */
static bool has_all_shards(const struct loaded *loaded)
{
    bool all = true;
    for (uint32_t i = 1; i <= loaded->shards; i++)
        if (!loaded->seen[i]) {
            fprintf(stderr, "ssimcu: merge: share %u of %u is not there\n", i, loaded->shards);
            all = false;
        }
    return all;
}

static bool merge_records(struct batch *batch)
{
    for (size_t i = 0; i < batch->loaded.count; i++) {
        struct record record;
        if (!record_from_json(batch->loaded.line[i].text, &record)) {
            batch->status = ssimcu_fail(&batch->message, SSIMCU_ERROR_DATA,
                                        "merge: frame %" PRId64 " has a damaged line",
                                        batch->loaded.line[i].frame);
            return false;
        }
        const bool good = take_record(batch, &record, true);
        record_clear(&record);
        if (!good) return false;
    }
    return true;
}

static enum exit_code merge_with(struct batch *batch)
{
    const struct options *options = batch->options;
    ssimcu_message message = {{0}};
    ssimcu_status status = SSIMCU_OK;
    summary_start(&batch->summary, options->batch.worst);
    progress_start(&batch->progress, PROGRESS_NONE, -1);
    for (int i = 0; i < options->file_count && status == SSIMCU_OK; i++)
        status = loaded_add(&batch->loaded, options->files[i], false, &message);
    if (status == SSIMCU_OK && !batch->loaded.contract)
        status = ssimcu_fail(&message, SSIMCU_ERROR_DATA, "merge: no results in these files");
    if (status == SSIMCU_OK) status = begin_results(batch, batch->loaded.contract, 1, 1, &message);
    if (status != SSIMCU_OK) return complain(status, &message);
    const bool merged = merge_records(batch);
    const bool complete = batch->loaded.complete;
    if (!complete) fprintf(stderr, "ssimcu: merge: a file is of a run that was cut short\n");
    const bool all = has_all_shards(&batch->loaded);
    batch->summary.complete = merged && complete && all;
    progress_end(&batch->progress);
    const enum exit_code code = deliver(batch);
    return (code == EXIT_SCORED || code == EXIT_BELOW) && !batch->summary.complete ? EXIT_MISMATCH
                                                                                   : code;
}

enum exit_code batch_merge(const struct options *options)
{
    struct batch batch = {.options = options};
    const enum exit_code code = merge_with(&batch);
    free_batch(&batch);
    return code;
}
