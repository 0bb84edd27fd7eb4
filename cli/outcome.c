#include "outcome.h"

#include "fail.h"

#include <string.h>

enum exit_code outcome_complain(ssimcu_status status, const ssimcu_message *message)
{
    report_line("%s", message->text);
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
ssimcu_status outcome_spare_inputs(const struct options *options, const struct batch_source *source,
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

bool outcome_take(void *user, const struct record *record, bool known)
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
    if (batch->share) return summary->complete ? EXIT_SCORED : EXIT_MISMATCH; /* the merge judges */
    if (summary->scored == 0) return EXIT_INPUT;
    if (!summary->complete || summary->failed > 0 ||
        (summary->missing > 0 && !batch->allow_missing))
        return EXIT_MISMATCH;
    if (summary->mean < options->min_score) return EXIT_BELOW;
    if (summary_below(summary, batch->min_frame) > batch->max_bad) return EXIT_BELOW;
    return EXIT_SCORED;
}

/* The last line of the results, the summary for a person, and the mean on standard output. */
enum exit_code outcome_deliver(struct outcome *outcome)
{
    const struct options *options = outcome->options;
    struct summary *summary = &outcome->summary;
    if (!summary_finish(summary))
        return outcome_complain(
            ssimcu_fail(&outcome->message, SSIMCU_ERROR_MEMORY, "out of memory for the summary"),
            &outcome->message);
    if (outcome->status == SSIMCU_OK && outcome->writer)
        outcome->status = writer_end(outcome->writer, summary, &outcome->message);
    if (!options->quiet && (summary->pairs > 0 || summary->complete)) report_summary(summary);
    if (outcome->status != SSIMCU_OK) return outcome_complain(outcome->status, &outcome->message);
    const bool mean = !options->quiet && !streams(options) && summary->scored > 0;
    if (mean && !report_score(summary->mean)) return EXIT_OUTPUT;
    return judge(options, summary);
}

void outcome_free(struct outcome *outcome)
{
    writer_close(outcome->writer);
    summary_free(&outcome->summary);
    loaded_free(&outcome->loaded);
}
