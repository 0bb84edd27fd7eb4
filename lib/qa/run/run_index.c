/* The page over the reports of several OUTs. */
#include "run/run.h"

#include "report/index.h"
#include "results/text.h"
#include "run/exit_code.h"

#include "fail.h"

#include <stdlib.h>

/* Returns the directory that holds the page; NULL: the run has none. */
static const char *directory_of(const struct ssimcu_run *run)
{
    return run->outs.count > 1 ? run->options.report : NULL;
}

ssimcu_status run_index_check(const struct ssimcu_run *run, ssimcu_message *message)
{
    const char *directory = directory_of(run);
    return directory ? index_check(directory, message) : SSIMCU_OK;
}

void run_index_withdraw(struct ssimcu_run *run, const char *why)
{
    const char *directory = directory_of(run);
    ssimcu_message message = {{0}};
    if (directory && index_withdraw(directory, why, &message) != SSIMCU_OK)
        hooks_log(&run->hooks, SSIMCU_LOG_WARNING, "%s", message.text);
}

static struct index_row row_of(const struct ssimcu_run *run, uint32_t at)
{
    const struct out_run *out = &run->out[at];
    const struct delivery *delivery = &out->delivery;
    struct index_row row = {.name = source_out_name(&out->input, 0)};
    if (delivery->reported) row.folder = text_base(delivery->options->report);
    if (out->left_out || !delivery->ended) {
        row.why = out->left_out ? run->source->out[at].message.text : delivery->message.text;
        return row;
    }
    row.report = delivery->report;
    row.summary = &delivery->summary;
    row.verdict = &delivery->verdict;
    return row;
}

static ssimcu_status write_page(const struct ssimcu_run *run, const char *directory,
                                ssimcu_message *message)
{
    struct index_row *row = calloc(run->outs.count, sizeof *row);
    if (!row) return ssimcu_fail(message, SSIMCU_ERROR_MEMORY, "out of memory for the report");
    for (uint32_t i = 0; i < run->outs.count; i++) row[i] = row_of(run, i);
    const struct index index = {run->input.path[0], row, run->outs.count, run->options.batch.share};
    const ssimcu_status status = index_write(directory, &index, message);
    free(row);
    return status;
}

ssimcu_exit run_index_write(struct ssimcu_run *run)
{
    const char *directory = directory_of(run);
    ssimcu_message message = {{0}};
    if (!directory) return SSIMCU_EXIT_SCORED;
    if (run->cancelled) {
        run_index_withdraw(run, DELIVERY_STOPPED);
        return SSIMCU_EXIT_SCORED;
    }
    const ssimcu_status status = write_page(run, directory, &message);
    if (status == SSIMCU_OK) return SSIMCU_EXIT_SCORED;
    hooks_log(&run->hooks, SSIMCU_LOG_WARNING, "%s", message.text);
    return exit_code_early(status);
}
