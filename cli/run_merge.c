/* The results of several batches become those of one. */
#include "outcome.h"
#include "run.h"

#include "fail.h"

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
        const bool good = outcome_take(outcome, &record, true);
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
    ssimcu_status status = outcome_spare_inputs(options, NULL, &message);
    report_progress_start(&outcome->progress, PROGRESS_NONE, -1);
    for (int i = 0; i < options->file_count && status == SSIMCU_OK; i++)
        status = loaded_add(loaded, options->files[i], false, &message);
    if (status == SSIMCU_OK && !loaded->contract)
        status = ssimcu_fail(&message, SSIMCU_ERROR_DATA, "merge: no results in these files");
    if (status == SSIMCU_OK) status = outcome_start(outcome, loaded->contract, &message);
    if (status == SSIMCU_OK) status = outcome_begin(outcome, loaded->contract, 1, 1, &message);
    if (status != SSIMCU_OK) return outcome_complain(status, &message);
    const bool merged = merge_records(outcome);
    if (!loaded->complete) report_line("merge: a file is of a run that was cut short");
    const bool all = has_all_shards(loaded);
    outcome->summary.complete = merged && loaded->complete && all;
    report_progress_end(&outcome->progress);
    return outcome_deliver(outcome);
}

enum exit_code run_merge(const struct options *options)
{
    struct outcome outcome = {.options = options};
    const enum exit_code code = merge(&outcome);
    outcome_free(&outcome);
    return code;
}
