#include "delivery.h"

#include "files.h"
#include "results/junit.h"

#include "fail.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

enum exit_code delivery_complain(ssimcu_status status, const ssimcu_message *message)
{
    console_line("%s", message->text);
    return status == SSIMCU_ERROR_ARGUMENT ? EXIT_USAGE : exit_code_of(status);
}

/* Whether the pairs' lines go to standard output. */
static bool streams(const struct options *options)
{
    return !options->batch.output && (options->json || options->batch.csv) && !options->quiet;
}

bool delivery_goes_on(const struct options *options)
{
    const struct batch_options *batch = &options->batch;
    return batch->resume && batch->output && strcmp(batch->output, batch->resume) == 0;
}

/* Opens what the results go to: no other run may write there from now on. What an earlier one has
 * left is still there. */
ssimcu_status delivery_open(struct delivery *delivery, ssimcu_message *message)
{
    const struct options *options = delivery->options;
    const struct batch_options *batch = &options->batch;
    if (!batch->output && !streams(options)) return SSIMCU_OK;
    if (!batch->output) return writer_stream(stdout, batch->csv, &delivery->writer, message);
    return writer_open(batch->output, batch->csv, delivery_goes_on(options), &delivery->writer,
                       message);
}

/* Writes the first line. */
ssimcu_status delivery_begin(struct delivery *delivery, const struct header *header,
                             ssimcu_message *message)
{
    delivery->header = header;
    return delivery->writer ? writer_begin(delivery->writer, header, message) : SSIMCU_OK;
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
    if (options->batch.junit) outputs_add(outputs, "--junit", options->batch.junit);
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

ssimcu_status delivery_open_report(struct delivery *delivery, ssimcu_message *message)
{
    const struct options *options = delivery->options;
    if (!options->report) return SSIMCU_OK;
    return report_open(options->report, options->report_frames, &delivery->report, message);
}

/* The report's directory is replaced as a whole. */
static ssimcu_status spare_from_report(const struct delivery *delivery, ssimcu_message *message)
{
    const struct options *options = delivery->options;
    const struct batch_options *batch = &options->batch;
    const struct {
        const char *role, *path;
    } files[] = {{"REF", options->input.path[0]},   {"OUT", options->input.path[1]},
                 {"the list", options->input.list}, {"the baseline", batch->baseline},
                 {"--output", batch->output},       {"--resume", batch->resume},
                 {"--junit", batch->junit},         {"--map", options->map}};
    ssimcu_status status = SSIMCU_OK;
    for (size_t i = 0; i < sizeof files / sizeof files[0] && status == SSIMCU_OK; i++)
        if (files[i].path)
            status = report_spare(delivery->report, files[i].role, files[i].path, message);
    for (uint32_t i = 0; i < options->input.outs && status == SSIMCU_OK; i++)
        status = report_spare(delivery->report, "OUT", options->input.out[i], message);
    for (int i = 0; i < options->file_count && status == SSIMCU_OK; i++)
        status = report_spare(delivery->report, "results", options->files[i], message);
    return status;
}

/* ARGUMENT where an output would replace a file that is read. */
ssimcu_status delivery_spare_inputs(const struct delivery *delivery, const struct source *source,
                                    ssimcu_message *message)
{
    const struct options *options = delivery->options;
    struct spared spared = {.message = message};
    spared.status = list_outputs(options, &spared.outputs, message);
    if (spared.status == SSIMCU_OK && delivery->report)
        spared.status = spare_from_report(delivery, message);
    if (spared.status != SSIMCU_OK) return spared.status;
    bool going = !source || source_visit_files(source, spare, &spared);
    if (going && options->batch.baseline)
        going = spare(&spared, "the baseline", options->batch.baseline);
    for (int i = 0; i < options->file_count && going; i++) /* of a merge */
        going = spare(&spared, "results", options->files[i]);
    return spared.status;
}

/* ---- Records --------------------------------------------------------------------------------- */

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
    double baseline;
    const bool held = delivery_find_baseline(delivery, record, &baseline);
    delivery->held += held;
    summary_add(&delivery->summary, record);
    const double *earlier = held ? &baseline : NULL;
    verdict_add(&delivery->verdict, record, earlier);
    if (delivery->report)
        report_add(delivery->report, record,
                   verdict_faults(&delivery->options->limits, record, earlier), earlier);
    const bool accepted =
        record->kind == RECORD_SCORED ||
        (record->kind == RECORD_MISSING && delivery->options->limits.allow_missing);
    if (!accepted) console_complaint(delivery->progress, record);
    console_progress_pair(delivery->progress, record, known);
    if (delivery->writer)
        delivery->status = writer_add(delivery->writer, record, &delivery->message);
    return delivery->status == SSIMCU_OK;
}

ssimcu_status delivery_start(struct delivery *delivery, const struct json_t *contract,
                             ssimcu_message *message)
{
    const struct options *options = delivery->options;
    const char *path = options->batch.baseline;
    summary_start(&delivery->summary, options->batch.worst);
    verdict_start(&delivery->verdict, &options->limits);
    if (!path) return SSIMCU_OK;
    const ssimcu_status status = earlier_add(&delivery->baseline, path, true, message);
    if (status != SSIMCU_OK || contract_same(delivery->baseline.header.contract, contract))
        return status;
    return ssimcu_fail(message, SSIMCU_ERROR_MISMATCH,
                       "--baseline %.300s: these scores follow another contract", path);
}

static enum exit_code judge(const struct verdict *verdict, bool share)
{
    if (share) return verdict->incomplete ? EXIT_MISMATCH : EXIT_SCORED; /* the merge judges */
    if (verdict->nothing_scored) return EXIT_INPUT;
    if (verdict->incomplete || verdict->count[FAULT_FAILED] > 0 ||
        verdict->count[FAULT_MISSING] > 0)
        return EXIT_MISMATCH;
    return verdict->passed ? EXIT_SCORED : EXIT_BELOW;
}

/* The files at the end, each also where another fails. */
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

/* For a person: what it came to, and why it is not good enough. */
static void describe(const struct delivery *delivery)
{
    const struct options *options = delivery->options;
    const struct summary *summary = &delivery->summary;
    if (!options->quiet && delivery->label) console_line("OUT %s:", delivery->label);
    if (!options->quiet && (summary->pairs > 0 || summary->complete)) console_summary(summary);
    if (options->batch.baseline && delivery->held < summary->scored)
        console_line("--baseline %s: has no score of %llu frames", options->batch.baseline,
                     (unsigned long long)(summary->scored - delivery->held));
    if (options->verbose && options->map)
        console_line("%llu maps in %s", (unsigned long long)delivery->maps.written, options->map);
    if (!options->quiet && !options->batch.share)
        console_verdict(&delivery->verdict, summary, options->batch.progress == PROGRESS_OPENJD);
}

static bool show_pictures(void *user, size_t done, size_t count)
{
    struct delivery *delivery = user;
    console_progress_pictures(delivery->progress, done, count);
    return !delivery->stopped || !delivery->stopped();
}

static enum exit_code write_report(struct delivery *delivery)
{
    const struct options *options = delivery->options;
    const struct report_facts facts = {.header = delivery->header,
                                       .summary = &delivery->summary,
                                       .verdict = &delivery->verdict,
                                       .share = options->batch.share,
                                       .score_seconds = delivery->seconds,
                                       .input = delivery->input,
                                       .settings = delivery->settings,
                                       .memory_bytes = options->batch.memory_bytes,
                                       .progress = show_pictures,
                                       .user = delivery};
    if (!delivery->report || (delivery->stopped && delivery->stopped())) return EXIT_SCORED;
    const ssimcu_status status = report_write(delivery->report, &facts, &delivery->message);
    console_progress_pictures_end(delivery->progress);
    delivery->report_stopped = status != SSIMCU_OK && delivery->stopped && delivery->stopped();
    if (delivery->report_stopped) return EXIT_SCORED; /* the signal's code follows */
    return status == SSIMCU_OK ? EXIT_SCORED : delivery_complain(status, &delivery->message);
}

enum exit_code delivery_end(struct delivery *delivery)
{
    const struct options *options = delivery->options;
    struct summary *summary = &delivery->summary;
    if (!summary_finish(summary) || !verdict_finish(&delivery->verdict, summary))
        return delivery_complain(
            ssimcu_fail(&delivery->message, SSIMCU_ERROR_MEMORY, "out of memory for the summary"),
            &delivery->message);
    write_files(delivery);
    describe(delivery);
    if (delivery->status != SSIMCU_OK)
        return delivery_complain(delivery->status, &delivery->message);
    const bool mean = !options->quiet && !streams(options) && summary->scored > 0;
    if (mean && !console_score(summary->all.mean, delivery->label)) return EXIT_OUTPUT;
    delivery->delivered = true;
    if (delivery->maps.status != SSIMCU_OK)
        return delivery_complain(delivery->maps.status, &delivery->maps.message);
    return judge(&delivery->verdict, options->batch.share);
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
}
