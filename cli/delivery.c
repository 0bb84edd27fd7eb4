#include "delivery.h"

#include "files.h"

#include "results/guard.h"
#include "results/junit.h"
#include "run_header.h"

#include "fail.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum exit_code delivery_complain(ssimcu_status status, const ssimcu_message *message)
{
    console_line("%s", message->text);
    return status == SSIMCU_ERROR_ARGUMENT ? EXIT_USAGE : console_exit_code(status);
}

/* ---- The beginning --------------------------------------------------------------------------- */

/* Returns whether results go to standard output. A pair's --json is one object at the end. */
static bool streams(const struct delivery *delivery)
{
    const struct options *options = delivery->options;
    if (options->batch.output || options->quiet) return false;
    return options->batch.csv || (options->json && !delivery->pair);
}

/* Returns whether results go to the very file that is resumed. */
static bool goes_on(const struct options *options)
{
    const struct batch_options *batch = &options->batch;
    return batch->resume && batch->output && strcmp(batch->output, batch->resume) == 0;
}

/* Opens the results, so that no other run may write there. What an earlier run has left is still
 * there. */
static ssimcu_status open_results(struct delivery *delivery, ssimcu_message *message)
{
    const struct batch_options *batch = &delivery->options->batch;
    if (batch->output)
        return writer_open(batch->output, batch->csv, goes_on(delivery->options), &delivery->writer,
                           message);
    if (!streams(delivery)) return SSIMCU_OK;
    return writer_stream(stdout, batch->csv, &delivery->writer, message);
}

static ssimcu_status open_report(struct delivery *delivery, ssimcu_message *message)
{
    const struct options *options = delivery->options;
    if (!options->report) return SSIMCU_OK;
    return report_open(options->report, options->report_frames, &delivery->report, message);
}

/* Starts the summary and the verdict, and reads the baseline. */
static ssimcu_status start(struct delivery *delivery, const struct json_t *contract,
                           ssimcu_message *message)
{
    const struct options *options = delivery->options;
    const char *path = options->batch.baseline;
    summary_start(&delivery->summary, options->batch.worst);
    verdict_start(&delivery->verdict, &options->limits);
    if (!path) return SSIMCU_OK;
    const ssimcu_status status = earlier_add(&delivery->baseline, path, true, message);
    if (status != SSIMCU_OK || json_equal(delivery->baseline.header.contract, contract))
        return status;
    return ssimcu_fail(message, SSIMCU_ERROR_MISMATCH,
                       "--baseline %.300s: these scores follow another contract", path);
}

/* Reads the earlier results, if there are any, and checks that they are of the same batch. */
static ssimcu_status resume(struct delivery *delivery, ssimcu_message *message)
{
    const struct options *options = delivery->options;
    const char *path = options->batch.resume;
    struct earlier_results *earlier = &delivery->earlier;
    if (!path) return SSIMCU_OK;
    ssimcu_status status = earlier_resume(earlier, path, message);
    if (status != SSIMCU_OK || !earlier->header.contract) return status;
    status = header_check(&delivery->header, &earlier->header, path, message);
    if (status == SSIMCU_OK && goes_on(options)) status = earlier_save(earlier, path, message);
    if (status == SSIMCU_OK && earlier->count > 0)
        header_join_devices(&delivery->header, &earlier->header);
    return status;
}

/* Returns whether results are written over those that are resumed, by whatever name. */
static bool resumes_output(const struct batch_options *batch)
{
    struct stat resumed, output;
    return batch->resume && batch->output && stat(batch->resume, &resumed) == 0 &&
           stat(batch->output, &output) == 0 && resumed.st_dev == output.st_dev &&
           resumed.st_ino == output.st_ino;
}

/* Removes the results that an earlier run has written there. */
static ssimcu_status remove_results(const struct batch_options *batch, ssimcu_message *message)
{
    if (!batch->output || resumes_output(batch)) return SSIMCU_OK;
    return guard_remove(batch->output, guard_allows_results(batch->output, false), "a results file",
                        message);
}

/* Writes the first line. From here on no output of an earlier run can pass for one of this run,
 * even if this one is killed. */
static ssimcu_status write_header(struct delivery *delivery, ssimcu_message *message)
{
    const struct batch_options *batch = &delivery->options->batch;
    ssimcu_status status = SSIMCU_OK;
    if (delivery->writer) status = writer_begin(delivery->writer, &delivery->header, message);
    if (status == SSIMCU_OK) status = remove_results(batch, message);
    if (status == SSIMCU_OK && batch->junit) status = junit_remove(batch->junit, message);
    return status;
}

ssimcu_status delivery_begin(struct delivery *delivery, const struct source *source,
                             ssimcu_message *message)
{
    const struct options *options = delivery->options;
    struct header *header = &delivery->header;
    ssimcu_status status = run_header_make(options, source_is_video(source), header, message);
    if (status == SSIMCU_OK) status = start(delivery, header->contract, message);
    if (status == SSIMCU_OK) status = open_report(delivery, message);
    if (status == SSIMCU_OK && !delivery->pair)
        status = map_files_open(&delivery->maps, options, message);
    if (status == SSIMCU_OK) status = open_results(delivery, message);
    if (status == SSIMCU_OK) status = resume(delivery, message);
    return status == SSIMCU_OK ? write_header(delivery, message) : status;
}

ssimcu_status delivery_begin_merge(struct delivery *delivery, ssimcu_message *message)
{
    const struct options *options = delivery->options;
    struct earlier_results *earlier = &delivery->earlier;
    ssimcu_status status = open_report(delivery, message);
    if (status == SSIMCU_OK) status = open_results(delivery, message);
    for (int i = 0; i < options->file_count && status == SSIMCU_OK; i++)
        status = earlier_add(earlier, options->files[i], false, message);
    if (status == SSIMCU_OK && !earlier->header.contract)
        status = ssimcu_fail(message, SSIMCU_ERROR_DATA, "merge: no results in these files");
    if (status != SSIMCU_OK) return status;
    header_copy(&delivery->header, &earlier->header);
    delivery->header.shards = 0; /* the merged results are of all shares */
    status = start(delivery, delivery->header.contract, message);
    return status == SSIMCU_OK ? write_header(delivery, message) : status;
}

/* ---- An early end ---------------------------------------------------------------------------- */

/* Returns whether the outputs may be written as far as their names tell. */
static bool may_write(const struct options *options)
{
    struct files files = {0};
    ssimcu_message ignored = {{0}};
    const bool pair = options->action == ACTION_SCORE && source_is_one_pair(&options->input);
    ssimcu_status status = files_add(&files, options, pair, &ignored);
    if (status == SSIMCU_OK) status = files_check(&files, NULL, &ignored);
    files_free(&files);
    return status == SSIMCU_OK || status == SSIMCU_ERROR_WRITE; /* each output is guarded below */
}

void delivery_withdraw(const struct options *options, ssimcu_status status,
                       const ssimcu_message *why)
{
    const struct batch_options *batch = &options->batch;
    const struct junit_end end = {
        status, why->text, {options->input.path[0], options->input.path[1]}};
    if (status == SSIMCU_ERROR_ARGUMENT || !may_write(options)) return;
    for (int output = 0; output < 3; output++) {
        ssimcu_message message = {{0}};
        ssimcu_status done = SSIMCU_OK;
        if (output == 0 && batch->junit) done = junit_write_end(batch->junit, &end, &message);
        if (output == 1 && status != SSIMCU_ERROR_WRITE) done = remove_results(batch, &message);
        if (output == 2 && options->report)
            done = report_withdraw(options->report, why->text, &message);
        const bool said = strcmp(message.text, why->text) == 0;
        if (done != SSIMCU_OK && !said) console_line("%s", message.text);
    }
}

enum exit_code delivery_end_early(const struct options *options, ssimcu_status status,
                                  const ssimcu_message *message)
{
    const enum exit_code code = delivery_complain(status, message);
    delivery_withdraw(options, status, message);
    return code;
}

/* ---- Records --------------------------------------------------------------------------------- */

bool delivery_find_known(const struct delivery *delivery, struct record *record)
{
    struct record old;
    if (!earlier_find(&delivery->earlier, record->frame, &old)) return false;
    const bool same = record_same_files(&old, record);
    record_clear(same ? record : &old);
    if (same) *record = old;
    return same;
}

bool delivery_find_baseline(const struct delivery *delivery, const struct record *record,
                            double *score)
{
    struct record old;
    if (record->kind != RECORD_SCORED || !earlier_find(&delivery->baseline, record->frame, &old))
        return false;
    *score = old.score;
    record_clear(&old);
    return true;
}

bool delivery_take(void *user, const struct record *record, bool known)
{
    struct delivery *delivery = user;
    const struct limits *limits = &delivery->options->limits;
    double baseline;
    const bool found = delivery_find_baseline(delivery, record, &baseline);
    const double *earlier = found ? &baseline : NULL;
    delivery->baseline_frames += found;
    summary_add(&delivery->summary, record);
    verdict_add(&delivery->verdict, record, earlier);
    if (delivery->report)
        report_add(delivery->report, record, verdict_faults(limits, record, earlier), earlier);
    const bool accepted =
        record->kind == RECORD_SCORED || (record->kind == RECORD_MISSING && limits->allow_missing);
    if (!accepted && !delivery->pair) console_complaint(delivery->progress, record);
    console_progress_pair(delivery->progress, record, known);
    if (delivery->writer)
        delivery->status = writer_add(delivery->writer, record, &delivery->message);
    return delivery->status == SSIMCU_OK;
}

/* ---- The end --------------------------------------------------------------------------------- */

static enum exit_code judge(const struct verdict *verdict, bool share)
{
    if (share) return verdict->incomplete ? EXIT_MISMATCH : EXIT_SCORED; /* the merge judges */
    if (verdict->nothing_scored) return EXIT_INPUT;
    if (verdict->incomplete || verdict->count[FAULT_FAILED] > 0 ||
        verdict->count[FAULT_MISSING] > 0)
        return EXIT_MISMATCH;
    return verdict->passed ? EXIT_SCORED : EXIT_BELOW;
}

/* Ends the results and writes the verdict's file. If one fails, the other is still written. */
static void write_files(struct delivery *delivery)
{
    ssimcu_message message = {{0}};
    ssimcu_status status = SSIMCU_OK;
    const char *junit = delivery->options->batch.junit;
    if (delivery->status == SSIMCU_OK && delivery->writer)
        delivery->status = writer_end(delivery->writer, &delivery->summary,
                                      delivery->options->batch.share ? NULL : &delivery->verdict,
                                      &delivery->message);
    if (junit) status = junit_write(junit, &delivery->verdict, &delivery->summary, &message);
    if (delivery->status != SSIMCU_OK) return;
    delivery->status = status;
    delivery->message = message;
}

/* Prints the score, or the object of a pair, to standard output. */
static enum exit_code print_score(const struct delivery *delivery)
{
    const struct options *options = delivery->options;
    const struct summary *summary = &delivery->summary;
    if (options->quiet || summary->scored == 0 || streams(delivery)) return EXIT_SCORED;
    if (delivery->pair && options->json)
        return console_json(delivery->pair, &delivery->header, &delivery->verdict, summary);
    return console_score(summary->all.mean, delivery->label) ? EXIT_SCORED : EXIT_OUTPUT;
}

/* Tells a person what the run came to, and why it is not good enough. */
static void describe(const struct delivery *delivery)
{
    const struct options *options = delivery->options;
    const struct summary *summary = &delivery->summary;
    const bool sums_up = !options->quiet && !delivery->pair;
    if (sums_up && delivery->label) console_line("OUT %s:", delivery->label);
    if (sums_up && (summary->pairs > 0 || summary->complete)) console_summary(summary);
    if (options->batch.baseline && delivery->baseline_frames < summary->scored)
        console_line("--baseline %s: has no score of %llu frames", options->batch.baseline,
                     (unsigned long long)(summary->scored - delivery->baseline_frames));
    if (options->verbose && options->map && !delivery->pair)
        console_line("%llu maps in %s", (unsigned long long)delivery->maps.written, options->map);
    if (options->quiet || options->batch.share) return;
    if (delivery->pair && summary->scored > 0)
        console_pair_verdict(delivery->pair, &delivery->verdict);
    else if (!delivery->pair)
        console_verdict(&delivery->verdict, summary, options->batch.progress == PROGRESS_OPENJD);
}

enum exit_code delivery_end(struct delivery *delivery)
{
    struct summary *summary = &delivery->summary;
    if (!summary_finish(summary) || !verdict_finish(&delivery->verdict, summary))
        return delivery_complain(
            ssimcu_fail(&delivery->message, SSIMCU_ERROR_MEMORY, "out of memory for the summary"),
            &delivery->message);
    write_files(delivery);
    const bool good = delivery->status == SSIMCU_OK;
    const enum exit_code printed = good ? print_score(delivery) : EXIT_SCORED;
    describe(delivery);
    if (!good) return delivery_complain(delivery->status, &delivery->message);
    if (printed != EXIT_SCORED) return printed;
    delivery->delivered = true;
    if (delivery->maps.status != SSIMCU_OK)
        return delivery_complain(delivery->maps.status, &delivery->maps.message);
    return judge(&delivery->verdict, delivery->options->batch.share);
}

/* ---- The report ------------------------------------------------------------------------------ */

static bool show_pictures(void *user, size_t done, size_t count)
{
    struct delivery *delivery = user;
    console_progress_pictures(delivery->progress, done, count);
    return !delivery->stopped || !delivery->stopped();
}

/* Returns SCORED, because the signal's code follows. */
static enum exit_code withdraw_report(struct delivery *delivery)
{
    ssimcu_message message = {{0}};
    if (report_withdraw(delivery->options->report, "stopped by a signal", &message) != SSIMCU_OK)
        console_line("%s", message.text);
    return EXIT_SCORED;
}

static enum exit_code write_report(struct delivery *delivery)
{
    const struct options *options = delivery->options;
    const struct report_facts facts = {.header = &delivery->header,
                                       .summary = &delivery->summary,
                                       .verdict = &delivery->verdict,
                                       .share = options->batch.share,
                                       .pair = delivery->pair != NULL,
                                       .score_seconds = delivery->seconds,
                                       .input = delivery->input,
                                       .settings = delivery->settings,
                                       .memory_bytes = options->batch.memory_bytes,
                                       .progress = show_pictures,
                                       .user = delivery};
    if (!delivery->report) return EXIT_SCORED;
    if (delivery->stopped && delivery->stopped()) return withdraw_report(delivery);
    const ssimcu_status status = report_write(delivery->report, &facts, &delivery->message);
    console_progress_pictures_end(delivery->progress);
    delivery->report_stopped = status != SSIMCU_OK && delivery->stopped && delivery->stopped();
    if (delivery->report_stopped) return withdraw_report(delivery);
    return status == SSIMCU_OK ? EXIT_SCORED : delivery_complain(status, &delivery->message);
}

enum exit_code delivery_report(struct delivery *delivery, enum exit_code code)
{
    const enum exit_code written = delivery->delivered ? write_report(delivery) : EXIT_SCORED;
    return written == EXIT_SCORED || delivery->maps.status != SSIMCU_OK ? code : written;
}

void delivery_free(struct delivery *delivery)
{
    writer_close(delivery->writer);
    report_close(delivery->report);
    summary_free(&delivery->summary);
    verdict_free(&delivery->verdict);
    earlier_free(&delivery->earlier);
    earlier_free(&delivery->baseline);
    header_clear(&delivery->header);
}
