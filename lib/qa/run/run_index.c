/* The page over the reports of several OUTs. */
#include "run/run.h"

#include "base/refuse.h"
#include "base/text.h"
#include "delivery/exit_code.h"
#include "report/index.h"
#include "report/page/rates.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the directory that holds the page; NULL: none. */
static const char *directory_of(const struct ssimcu_run *run)
{
    return run->outs.count > 1 ? run->options.run.report : NULL;
}

/* No OUT may use the folder of the page of two OUTs. */
static ssimcu_status check_sides(const struct ssimcu_run *run, const char *directory,
                                 ssimcu_message *message)
{
    for (uint32_t i = 0; i < run->outs.count; i++) {
        const char *const report = run->outs.options[i].run.report;
        if (report && strcmp(text_base(report), SIDES_FOLDER) == 0)
            FAIL(ARGUMENT,
                 "--report %.300s: the report of an OUT would be in " SIDES_FOLDER
                 ", which is for all OUTs: expected another label",
                 directory);
    }
    return index_check(directory, message);
}

ssimcu_status run_index_check(const struct ssimcu_run *run, ssimcu_message *message)
{
    const char *directory = directory_of(run);
    return directory ? check_sides(run, directory, message) : SSIMCU_OK;
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
    struct index_row row = {.name = source_out_name(&out->input, 0),
                            .input = &out->input,
                            .group = run->options.groups.of[at]};
    if (delivery->reported) row.folder = text_base(delivery->options->run.report);
    if (out->left_out || !delivery->ended) {
        row.why = out->left_out ? run->source->out[at].message.text : delivery->message.text;
        return row;
    }
    row.report = delivery->report;
    row.summary = &delivery->summary;
    row.verdict = &delivery->verdict;
    return row;
}

static bool go_on(void *user, size_t done, size_t count)
{
    const struct ssimcu_run *run = user;
    (void)done, (void)count;
    return !ssimcu_is_stopped(&run->stop);
}

static struct index index_of(const struct ssimcu_run *run, const struct index_row *row)
{
    return (struct index){.ref = run->input.path[0],
                          .row = row,
                          .count = run->outs.count,
                          .share = run->options.share,
                          .group = run->options.groups.name,
                          .groups = run->options.groups.count,
                          .settings = &run->options.settings,
                          .memory_bytes = run->options.run.memory_bytes,
                          .progress = go_on,
                          .user = (void *)(uintptr_t)run};
}

static ssimcu_status write_page(const struct ssimcu_run *run, const char *directory,
                                ssimcu_message *message)
{
    struct index_row *row = calloc(run->outs.count, sizeof *row);
    if (!row) return ssimcu_no_memory(message, "the report");
    for (uint32_t i = 0; i < run->outs.count; i++) row[i] = row_of(run, i);
    struct index index = index_of(run, row);
    const ssimcu_status status = index_write(directory, &index, message);
    free(row);
    return status;
}

/* ---- Groups ---------------------------------------------------------------------------------- */

/* Prints a line that compares a group with the first. */
static void print_group(struct ssimcu_run *run, const struct index *index, ssimcu_metric metric,
                        unsigned group)
{
    const struct bd bd = rates_compare(index, metric, group);
    char deltas[160] = "", fit[80] = "", note[RATES_NOTE];
    if (!isnan(bd.rate_fit)) snprintf(fit, sizeof fit, " (one cubic: %+.2f %%)", bd.rate_fit);
    if (bd.lack == BD_NONE && !isnan(bd.rate))
        snprintf(deltas, sizeof deltas, ": %+.2f %% of the rate at the same quality%s", bd.rate,
                 fit);
    if (bd.lack == BD_NONE && !isnan(bd.quality))
        snprintf(deltas + strlen(deltas), sizeof deltas - strlen(deltas),
                 "%s%+.*f at the same rate", deltas[0] ? ", " : ": ", metrics_digits(metric),
                 bd.quality);
    hooks_log(&run->hooks, SSIMCU_LOG_WARNING, "group %s against %s, %s%s%s%s",
              index->group[group - 1], index->group[0], metrics_name(metric), deltas,
              rates_note(&bd, metric, note)[0] ? ": " : "", note);
}

void run_index_say(struct ssimcu_run *run)
{
    struct index_row row[SOURCE_MOST_OUTS] = {{0}};
    if (run->options.groups.count < 2 || run->cancelled) return;
    for (uint32_t i = 0; i < run->outs.count; i++) row[i] = row_of(run, i);
    const struct index index = index_of(run, row);
    const uint32_t metrics = rates_metrics(&index);
    ssimcu_metric order[SSIMCU_METRICS];
    rates_order(&index, order);
    for (unsigned group = 2; group <= index.groups; group++)
        for (int m = 0; m < SSIMCU_METRICS; m++)
            if (metrics >> order[m] & 1) print_group(run, &index, order[m], group);
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
    run_index_withdraw(run, message.text);
    return exit_code_early(status);
}
