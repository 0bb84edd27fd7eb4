#include "pair_report.h"

#include "run_header.h"

#include "fail.h"

#include <string.h>

ssimcu_status pair_report_open(const struct options *options, struct report **report,
                               ssimcu_message *message)
{
    const char *const roles[] = {"REF", "OUT", "--map"};
    const char *const paths[] = {options->input.path[0], options->input.path[1], options->map};
    if (!options->report) return SSIMCU_OK;
    ssimcu_status status = report_open(options->report, 1, report, message);
    for (int i = 0; i < 3 && status == SSIMCU_OK; i++)
        if (paths[i]) status = report_spare(*report, roles[i], paths[i], message);
    return status;
}

static struct record record_of(const struct scored_pair *result)
{
    const ssimcu_score *score = &result->score;
    struct record record = {
        .kind = RECORD_SCORED,
        .score = score->score,
        .channels = score->channels,
        .layout = contract_layout(&result->side[0].frame, &result->side[1].frame, 1, score),
        .bits = score->bits,
        .background = score->background,
        .backend = strcmp(result->device, "cpu") == 0 ? "cpu" : "cuda",
        .tile = result->tile};
    memcpy(record.channel, score->channel, sizeof record.channel);
    memcpy(record.hints, result->hints, sizeof record.hints);
    memcpy(record.light, result->light, sizeof record.light);
    for (int side = 0; side < 2; side++) (void)record_name(&record, side, result->side[side].path);
    return record;
}

/* What a batch of the one frame would come to. */
static ssimcu_status write_as_batch(struct report *report, const struct scored_pair *result,
                                    const struct header *header, ssimcu_message *message)
{
    struct summary summary;
    struct verdict verdict;
    struct record record = record_of(result);
    const struct report_facts facts = {.header = header,
                                       .summary = &summary,
                                       .verdict = &verdict,
                                       .pair = true,
                                       .score_seconds = -1,
                                       .input = &result->options->input,
                                       .settings = &result->options->settings,
                                       .memory_bytes = result->options->batch.memory_bytes};
    summary_start(&summary, 1);
    verdict_start(&verdict, &result->options->limits);
    summary_add(&summary, &record);
    verdict_add(&verdict, &record, NULL);
    report_add(report, &record, verdict_faults(&verdict.limits, &record, NULL), NULL);
    summary.complete = true;
    const ssimcu_status status =
        summary_finish(&summary) && verdict_finish(&verdict, &summary)
            ? report_write(report, &facts, message)
            : ssimcu_fail(message, SSIMCU_ERROR_MEMORY, "out of memory for the report");
    record_clear(&record);
    summary_free(&summary);
    verdict_free(&verdict);
    return status;
}

ssimcu_status pair_report_write(struct report *report, const struct scored_pair *result,
                                ssimcu_message *message)
{
    struct header header;
    if (!report) return SSIMCU_OK;
    ssimcu_status status = run_header_make(result->options, false, &header, message);
    if (status != SSIMCU_OK) return status;
    status = write_as_batch(report, result, &header, message);
    header_clear(&header);
    return status;
}
