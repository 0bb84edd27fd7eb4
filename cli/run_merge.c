/* ssimcu merge: the results of several batches become those of one. */
#include "delivery.h"
#include "files.h"
#include "run.h"
#include "run_header.h"

#include "fail.h"

/* Names the shares that are missing. Returns true if there are none. */
static bool has_all_shards(const struct earlier_results *earlier)
{
    bool all = true;
    for (uint32_t i = 1; i <= earlier->shards; i++)
        if (!earlier->shard_read[i]) {
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

static enum exit_code merge(struct delivery *delivery, struct run_header_facts *facts)
{
    struct earlier_results *earlier = &delivery->earlier;
    struct files files = {0};
    ssimcu_message message = {{0}};
    console_progress_start(delivery->progress, PROGRESS_NONE, -1);
    ssimcu_status status = files_add(&files, delivery->options, false, &message);
    if (status == SSIMCU_OK) status = files_check(&files, NULL, &message);
    files_free(&files);
    if (status == SSIMCU_OK) status = delivery_begin_merge(delivery, &message);
    if (status != SSIMCU_OK) return delivery_end_early(delivery->options, status, &message);
    run_header_read(&delivery->header, delivery->options, facts);
    const bool merged = merge_records(delivery);
    if (!earlier->complete) console_line("merge: a file is of a run that was cut short");
    const bool all = has_all_shards(earlier);
    delivery->summary.complete = merged && earlier->complete && all;
    console_progress_end(delivery->progress);
    return delivery_report(delivery, delivery_end(delivery));
}

enum exit_code run_merge(const struct options *options)
{
    struct run_header_facts facts = {0};
    struct console_progress progress;
    struct delivery delivery = {.options = options,
                                .progress = &progress,
                                .input = &facts.input,
                                .settings = &facts.settings,
                                .seconds = -1};
    const enum exit_code code = merge(&delivery, &facts);
    writer_drop(delivery.writer); /* a merge can be repeated, not resumed */
    delivery_free(&delivery);
    return code;
}
