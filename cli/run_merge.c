/* The results of several batches become those of one. */
#include "identity.h"
#include "outcome.h"
#include "run.h"

#include "fail.h"

/* Names the shares that are not there; true when all are. */
static bool has_all_shards(const struct loaded *loaded)
{
    bool all = true;
    for (uint32_t i = 1; i <= loaded->shards; i++)
        if (!loaded->seen[i]) {
            console_line("merge: share %u of %u is not there", i, loaded->shards);
            all = false;
        }
    return all;
}

static bool merge_records(struct outcome *outcome)
{
    for (size_t i = 0; i < outcome->loaded.count; i++) {
        struct record record;
        outcome->status = loaded_record(&outcome->loaded, i, &record, &outcome->message);
        if (outcome->status != SSIMCU_OK) return false;
        const bool good = outcome_take(outcome, &record, true);
        record_clear(&record);
        if (!good) return false;
    }
    return true;
}

/* Reads all files and writes the first line of what they come to. Older results under that name go
 * first: where the merge fails, nobody must take them for its own. */
static ssimcu_status begin(struct outcome *outcome, ssimcu_message *message)
{
    const struct options *options = outcome->options;
    struct loaded *loaded = &outcome->loaded;
    const char *output = options->batch.output;
    ssimcu_status status = outcome_open_report(outcome, message);
    if (status == SSIMCU_OK) status = outcome_spare_inputs(outcome, NULL, message);
    if (status == SSIMCU_OK) status = outcome_open(outcome, message);
    if (status == SSIMCU_OK && output) status = results_remove(output, message);
    for (int i = 0; i < options->file_count && status == SSIMCU_OK; i++)
        status = loaded_add(loaded, options->files[i], false, message);
    if (status == SSIMCU_OK && !loaded->header.contract)
        status = ssimcu_fail(message, SSIMCU_ERROR_DATA, "merge: no results in these files");
    loaded->header.shards = 0; /* of all of them */
    if (status == SSIMCU_OK) status = outcome_start(outcome, loaded->header.contract, message);
    return status == SSIMCU_OK ? outcome_begin(outcome, &loaded->header, message) : status;
}

static enum exit_code merge(struct outcome *outcome, struct identity *identity)
{
    struct loaded *loaded = &outcome->loaded;
    ssimcu_message message = {{0}};
    console_progress_start(outcome->progress, PROGRESS_NONE, -1);
    const ssimcu_status status = begin(outcome, &message);
    if (status != SSIMCU_OK) return outcome_complain(status, &message);
    identity_read(&outcome->loaded.header, outcome->options, identity);
    const bool merged = merge_records(outcome);
    if (!loaded->complete) console_line("merge: a file is of a run that was cut short");
    const bool all = has_all_shards(loaded);
    outcome->summary.complete = merged && loaded->complete && all;
    console_progress_end(outcome->progress);
    return outcome_report(outcome, outcome_deliver(outcome));
}

enum exit_code run_merge(const struct options *options)
{
    struct identity identity = {0};
    struct console_progress progress;
    struct outcome outcome = {.options = options,
                              .progress = &progress,
                              .input = &identity.input,
                              .settings = &identity.settings,
                              .seconds = -1};
    const enum exit_code code = merge(&outcome, &identity);
    writer_drop(outcome.writer); /* what is incomplete: a merge can be repeated, not resumed */
    outcome_free(&outcome);
    return code;
}
