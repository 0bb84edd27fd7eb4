/* ssimcu merge: the results of several batches become those of one. */
#include "run/run.h"

#include "base/refuse.h"
#include "engine/neighbours.h"
#include "facts/record.h"
#include "options/parts.h"

/* Returns whether shares that are segments follow each other without a gap. Machines that cut the
 * files at other frames, or not at all, would leave some out. */
static bool segments_join(struct ssimcu_run *run, const struct earlier_results *earlier)
{
    for (uint32_t i = 1; i <= earlier->shards; i++) {
        const uint64_t begin = earlier->segment[i][0], end = earlier->segment[i][1];
        const bool first = i == 1, last = i == earlier->shards;
        const bool cut = earlier->segment[1][1] > 0;
        if (!cut && end == 0) continue;
        if (cut && end > 0 && begin == (first ? 0 : earlier->segment[i - 1][1]) &&
            (end == UINT64_MAX) == last)
            continue;
        hooks_log(&run->hooks, SSIMCU_LOG_WARNING,
                  "merge: share %u of %u does not begin where the one before it ends", i,
                  earlier->shards);
        return false;
    }
    return true;
}

/* Names the shares that are missing. Returns true if there are none. */
static bool has_all_shards(struct ssimcu_run *run, const struct earlier_results *earlier)
{
    bool all = true;
    for (uint32_t i = 1; i <= earlier->shards; i++)
        if (!earlier->shard_read[i]) {
            hooks_log(&run->hooks, SSIMCU_LOG_WARNING, "merge: share %u of %u is not there", i,
                      earlier->shards);
            all = false;
        }
    return all && segments_join(run, earlier);
}

/* Hands all records to the delivery. Frames of other shares are neighbours again, so their hints
 * are made here. *end becomes the frame behind the last. */
static bool merge_records(struct delivery *delivery, int64_t *end)
{
    struct neighbours neighbours = {.take = delivery_take,
                                    .user = delivery,
                                    .sequence = true,
                                    .keeps =
                                        limit_options_need_neighbours(&delivery->verdict.limits)};
    ssimcu_status status = SSIMCU_OK;
    for (size_t i = 0; i < delivery->earlier.count && !neighbours.closed; i++) {
        struct record *record = record_new();
        status = record ? earlier_record(&delivery->earlier, i, record, &delivery->message)
                        : no_memory(&delivery->message);
        if (status != SSIMCU_OK) {
            record_free(record);
            break;
        }
        if (record->frame >= *end) *end = record->frame + 1;
        neighbours_add(&neighbours, record, NULL, true);
    }
    neighbours_end(&neighbours);
    if (status != SSIMCU_OK)
        delivery->status = status; /* the end may have taken frames that waited */
    return delivery->status == SSIMCU_OK;
}

static void merge(struct ssimcu_run *run)
{
    struct out_run *out = run->out;
    struct delivery *delivery = &out->delivery;
    const struct earlier_results *earlier = &delivery->earlier;
    run_header_read(&delivery->header, &run->options, &run->merged);
    delivery->input = &run->merged.input;
    run->limits.layers = run->merged.input.layers;
    delivery->settings = &run->merged.settings;
    int64_t end = 0;
    const bool merged = merge_records(delivery, &end);
    if (merged && !earlier->chosen && !run->merged.input.shortest) run_miss_behind(run, 0, end);
    if (!earlier->complete)
        hooks_log(&run->hooks, SSIMCU_LOG_WARNING, "merge: a file is of a run that was cut short");
    const bool all = has_all_shards(run, earlier);
    delivery->summary.complete = merged && earlier->complete && all;
    run->code = delivery_report(delivery, delivery_end(delivery));
    run->cancelled = delivery->report_stopped;
    writer_drop(delivery->writer); /* a merge can be repeated, not resumed */
}

ssimcu_status run_merge(struct ssimcu_run *run, ssimcu_message *message)
{
    ssimcu_status status = run_make_outs(run, message);
    if (status == SSIMCU_OK) status = files_add(&run->files, &run->options, false, message);
    if (status == SSIMCU_OK) status = files_check(&run->files, NULL, NULL, message);
    if (status == SSIMCU_OK) status = delivery_begin_merge(&run->out->delivery, message);
    if (status == SSIMCU_OK && contract_is_video(run->out->delivery.header.contract))
        status = run_expect_frames(run, message);
    if (status != SSIMCU_OK) return status;
    run_offer_floors(run);
    run->begun = true;
    merge(run);
    return run_delivered(run, message);
}
