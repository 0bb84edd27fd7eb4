/* The results of several batches become those of one. */
#include "delivery.h"
#include "run.h"
#include "run_header.h"

#include "results/guard.h"

#include "fail.h"

/* Names the shares that are not there; true when all are. */
static bool has_all_shards(const struct earlier *earlier)
{
    bool all = true;
    for (uint32_t i = 1; i <= earlier->shards; i++)
        if (!earlier->seen[i]) {
            console_line("merge: share %u of %u is not there", i, earlier->shards);
            all = false;
        }
    return all;
}

static bool merge_records(struct delivery *delivery)
{
    for (size_t i = 0; i < delivery->earlier.count; i++) {
        struct record record;
        delivery->status = earlier_record(&delivery->earlier, i, &record, &delivery->message);
        if (delivery->status != SSIMCU_OK) return false;
        const bool good = delivery_take(delivery, &record, true);
        record_clear(&record);
        if (!good) return false;
    }
    return true;
}

/* Reads all files and writes the first line of what they come to. Older results under that name go
 * first: where the merge fails, nobody must take them for its own. */
static ssimcu_status begin(struct delivery *delivery, ssimcu_message *message)
{
    const struct options *options = delivery->options;
    struct earlier *earlier = &delivery->earlier;
    const char *output = options->batch.output;
    ssimcu_status status = delivery_open_report(delivery, message);
    if (status == SSIMCU_OK) status = delivery_spare_inputs(delivery, NULL, message);
    if (status == SSIMCU_OK) status = delivery_open(delivery, message);
    if (status == SSIMCU_OK && output) status = results_remove(output, message);
    for (int i = 0; i < options->file_count && status == SSIMCU_OK; i++)
        status = earlier_add(earlier, options->files[i], false, message);
    if (status == SSIMCU_OK && !earlier->header.contract)
        status = ssimcu_fail(message, SSIMCU_ERROR_DATA, "merge: no results in these files");
    earlier->header.shards = 0; /* of all of them */
    if (status == SSIMCU_OK) status = delivery_start(delivery, earlier->header.contract, message);
    return status == SSIMCU_OK ? delivery_begin(delivery, &earlier->header, message) : status;
}

static enum exit_code merge(struct delivery *delivery, struct run_header_facts *run_header_facts)
{
    struct earlier *earlier = &delivery->earlier;
    ssimcu_message message = {{0}};
    console_progress_start(delivery->progress, PROGRESS_NONE, -1);
    const ssimcu_status status = begin(delivery, &message);
    if (status != SSIMCU_OK) return delivery_complain(status, &message);
    run_header_read(&delivery->earlier.header, delivery->options, run_header_facts);
    const bool merged = merge_records(delivery);
    if (!earlier->complete) console_line("merge: a file is of a run that was cut short");
    const bool all = has_all_shards(earlier);
    delivery->summary.complete = merged && earlier->complete && all;
    console_progress_end(delivery->progress);
    return delivery_report(delivery, delivery_end(delivery));
}

enum exit_code run_merge(const struct options *options)
{
    struct run_header_facts run_header_facts = {0};
    struct console_progress progress;
    struct delivery delivery = {.options = options,
                                .progress = &progress,
                                .input = &run_header_facts.input,
                                .settings = &run_header_facts.settings,
                                .seconds = -1};
    const enum exit_code code = merge(&delivery, &run_header_facts);
    writer_drop(delivery.writer); /* what is incomplete: a merge can be repeated, not resumed */
    delivery_free(&delivery);
    return code;
}
