#include "outcome.h"

#include "fail.h"

#include <jansson.h>
#include <string.h>

enum exit_code outcome_complain(ssimcu_status status, const ssimcu_message *message)
{
    console_line("%s", message->text);
    return status == SSIMCU_ERROR_ARGUMENT ? EXIT_USAGE : exit_code_of(status);
}

/* Whether the pairs' lines go to standard output. */
static bool streams(const struct options *options)
{
    return !options->batch.output && (options->json || options->batch.csv) && !options->quiet;
}

bool outcome_goes_on(const struct options *options)
{
    const struct batch_options *batch = &options->batch;
    return batch->resume && batch->output && strcmp(batch->output, batch->resume) == 0;
}

/* Opens what the results go to: no other run may write there from now on. What an earlier one has
 * left is still there. */
ssimcu_status outcome_open(struct outcome *outcome, ssimcu_message *message)
{
    const struct options *options = outcome->options;
    const struct batch_options *batch = &options->batch;
    if (!batch->output && !streams(options)) return SSIMCU_OK;
    return writer_open(batch->output, batch->csv, outcome_goes_on(options), &outcome->writer,
                       message);
}

/* Writes the first line. */
ssimcu_status outcome_begin(struct outcome *outcome, const struct header *header,
                            ssimcu_message *message)
{
    outcome->header = header;
    return outcome->writer ? writer_begin(outcome->writer, header, message) : SSIMCU_OK;
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

ssimcu_status outcome_open_report(struct outcome *outcome, ssimcu_message *message)
{
    const struct options *options = outcome->options;
    if (!options->report) return SSIMCU_OK;
    return report_open(options->report, options->report_frames, &outcome->report, message);
}

/* The report's directory is replaced as a whole. */
static ssimcu_status spare_from_report(const struct outcome *outcome, ssimcu_message *message)
{
    const struct options *options = outcome->options;
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
            status = report_spare(outcome->report, files[i].role, files[i].path, message);
    for (uint32_t i = 0; i < options->input.outs && status == SSIMCU_OK; i++)
        status = report_spare(outcome->report, "OUT", options->input.out[i], message);
    for (int i = 0; i < options->file_count && status == SSIMCU_OK; i++)
        status = report_spare(outcome->report, "results", options->files[i], message);
    return status;
}

/* ARGUMENT where an output would replace a file that is read. */
ssimcu_status outcome_spare_inputs(const struct outcome *outcome, const struct batch_source *source,
                                   ssimcu_message *message)
{
    const struct options *options = outcome->options;
    struct spared spared = {.message = message};
    spared.status = list_outputs(options, &spared.outputs, message);
    if (spared.status == SSIMCU_OK && outcome->report)
        spared.status = spare_from_report(outcome, message);
    if (spared.status != SSIMCU_OK) return spared.status;
    bool going = !source || batch_visit_files(source, spare, &spared);
    if (going && options->batch.baseline)
        going = spare(&spared, "the baseline", options->batch.baseline);
    for (int i = 0; i < options->file_count && going; i++) /* of a merge */
        going = spare(&spared, "results", options->files[i]);
    return spared.status;
}

/* ---- Records --------------------------------------------------------------------------------- */

bool outcome_find_baseline(const struct outcome *outcome, const struct record *record,
                           double *score)
{
    struct record old;
    if (record->kind != RECORD_SCORED || !loaded_find(&outcome->baseline, record->frame, &old))
        return false;
    *score = old.score;
    record_clear(&old);
    return true;
}

bool outcome_take(void *user, const struct record *record, bool known)
{
    struct outcome *outcome = user;
    double baseline;
    const bool held = outcome_find_baseline(outcome, record, &baseline);
    outcome->held += held;
    summary_add(&outcome->summary, record);
    const double *earlier = held ? &baseline : NULL;
    verdict_add(&outcome->verdict, record, earlier);
    if (outcome->report)
        report_add(outcome->report, record,
                   verdict_faults(&outcome->options->limits, record, earlier), earlier);
    const bool accepted = record->kind == RECORD_SCORED || (record->kind == RECORD_MISSING &&
                                                            outcome->options->limits.allow_missing);
    if (!accepted) console_complaint(outcome->progress, record);
    console_progress_pair(outcome->progress, record, known);
    if (outcome->writer) outcome->status = writer_add(outcome->writer, record, &outcome->message);
    return outcome->status == SSIMCU_OK;
}

ssimcu_status outcome_start(struct outcome *outcome, const struct json_t *contract,
                            ssimcu_message *message)
{
    const struct options *options = outcome->options;
    const char *path = options->batch.baseline;
    summary_start(&outcome->summary, options->batch.worst);
    verdict_start(&outcome->verdict, &options->limits);
    if (!path) return SSIMCU_OK;
    const ssimcu_status status = loaded_add(&outcome->baseline, path, true, message);
    if (status != SSIMCU_OK || contract_same(outcome->baseline.header.contract, contract))
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
static void write_files(struct outcome *outcome)
{
    ssimcu_message message = {{0}};
    ssimcu_status status = SSIMCU_OK;
    const char *junit = outcome->options->batch.junit;
    if (outcome->status == SSIMCU_OK && outcome->writer)
        outcome->status =
            writer_end(outcome->writer, &outcome->summary,
                       outcome->options->batch.share ? NULL : &outcome->verdict, &outcome->message);
    if (junit) status = junit_write(junit, &outcome->verdict, &outcome->summary, &message);
    if (outcome->status != SSIMCU_OK) return;
    outcome->status = status;
    outcome->message = message;
}

/* For a person: what it came to, and why it is not good enough. */
static void describe(const struct outcome *outcome)
{
    const struct options *options = outcome->options;
    const struct summary *summary = &outcome->summary;
    if (!options->quiet && outcome->label) console_line("OUT %s:", outcome->label);
    if (!options->quiet && (summary->pairs > 0 || summary->complete)) console_summary(summary);
    if (options->batch.baseline && outcome->held < summary->scored)
        console_line("--baseline %s: has no score of %llu frames", options->batch.baseline,
                     (unsigned long long)(summary->scored - outcome->held));
    if (options->verbose && options->map)
        console_line("%llu maps in %s", (unsigned long long)outcome->maps.written, options->map);
    if (!options->quiet && !options->batch.share)
        console_verdict(&outcome->verdict, summary, options->batch.progress == PROGRESS_OPENJD);
}

static bool show_pictures(void *user, size_t done, size_t count)
{
    struct outcome *outcome = user;
    console_progress_pictures(outcome->progress, done, count);
    return !outcome->stopped || !outcome->stopped();
}

static enum exit_code write_report(struct outcome *outcome)
{
    const struct options *options = outcome->options;
    const struct report_facts facts = {.header = outcome->header,
                                       .summary = &outcome->summary,
                                       .verdict = &outcome->verdict,
                                       .share = options->batch.share,
                                       .score_seconds = outcome->seconds,
                                       .input = outcome->input,
                                       .settings = outcome->settings,
                                       .memory_bytes = options->batch.memory_bytes,
                                       .progress = show_pictures,
                                       .user = outcome};
    if (!outcome->report || (outcome->stopped && outcome->stopped())) return EXIT_SCORED;
    const ssimcu_status status = report_write(outcome->report, &facts, &outcome->message);
    console_progress_pictures_end(outcome->progress);
    outcome->report_stopped = status != SSIMCU_OK && outcome->stopped && outcome->stopped();
    if (outcome->report_stopped) return EXIT_SCORED; /* the signal's code follows */
    return status == SSIMCU_OK ? EXIT_SCORED : outcome_complain(status, &outcome->message);
}

enum exit_code outcome_deliver(struct outcome *outcome)
{
    const struct options *options = outcome->options;
    struct summary *summary = &outcome->summary;
    if (!summary_finish(summary) || !verdict_finish(&outcome->verdict, summary))
        return outcome_complain(
            ssimcu_fail(&outcome->message, SSIMCU_ERROR_MEMORY, "out of memory for the summary"),
            &outcome->message);
    write_files(outcome);
    describe(outcome);
    if (outcome->status != SSIMCU_OK) return outcome_complain(outcome->status, &outcome->message);
    const bool mean = !options->quiet && !streams(options) && summary->scored > 0;
    if (mean && !console_score(summary->all.mean, outcome->label)) return EXIT_OUTPUT;
    outcome->delivered = true;
    if (outcome->maps.status != SSIMCU_OK)
        return outcome_complain(outcome->maps.status, &outcome->maps.message);
    return judge(&outcome->verdict, options->batch.share);
}

enum exit_code outcome_report(struct outcome *outcome, enum exit_code code)
{
    const enum exit_code written = outcome->delivered ? write_report(outcome) : EXIT_SCORED;
    return written == EXIT_SCORED || outcome->maps.status != SSIMCU_OK ? code : written;
}

void outcome_free(struct outcome *outcome)
{
    writer_close(outcome->writer);
    report_close(outcome->report);
    summary_free(&outcome->summary);
    verdict_free(&outcome->verdict);
    loaded_free(&outcome->loaded);
    loaded_free(&outcome->baseline);
}
