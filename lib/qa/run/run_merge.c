/* ssimcu merge: joins the results of several batches. */
#include "run/run.h"

#include "base/refuse.h"
#include "engine/neighbours.h"
#include "options/internal.h"
#include "record/record.h"

/* Returns whether shares that are segments follow each other without a gap. Machines may cut the
 * files at different frames, or not at all, which leaves some out. */
static bool segments_join(struct ssimcu_run *run, const struct results_reader *earlier)
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
                  "merge: share %u of %u does not begin where the previous one ends", i,
                  earlier->shards);
        return false;
    }
    return true;
}

/* Names the missing shares. Returns true if there are none. */
static bool has_all_shards(struct ssimcu_run *run, const struct results_reader *earlier)
{
    bool all = true;
    for (uint32_t i = 1; i <= earlier->shards; i++)
        if (!earlier->shard_read[i]) {
            hooks_log(&run->hooks, SSIMCU_LOG_WARNING, "merge: share %u of %u is missing", i,
                      earlier->shards);
            all = false;
        }
    return all && segments_join(run, earlier);
}

ssimcu_status run_read_records(const struct results_reader *results, struct neighbours *neighbours,
                               ssimcu_message *message)
{
    ssimcu_status status = SSIMCU_OK;
    for (size_t i = 0; i < results->count && !neighbours->closed && status == SSIMCU_OK; i++) {
        struct record *record = record_new();
        status = record ? results_reader_record(results, i, record, message) : no_memory(message);
        if (status == SSIMCU_OK)
            neighbours_add(neighbours, record, NULL, true);
        else
            record_free(record);
    }
    neighbours_end(neighbours);
    return status;
}

static bool take(void *user, struct record *record, bool known)
{
    struct out_run *out = user;
    if (record->frame >= out->end) out->end = record->frame + 1;
    return delivery_take(&out->delivery, record, known);
}

/* Passes all records to the delivery. Frames of other shares are neighbours again, so hints are
 * completed here. Frames without a reference have no hints. */
static bool merge_records(struct out_run *out)
{
    struct delivery *delivery = &out->delivery;
    struct neighbours neighbours = {.take = take,
                                    .user = out,
                                    .sequence = true,
                                    .in_shares = delivery->header.check,
                                    .keeps =
                                        limit_options_need_neighbours(&delivery->verdict.limits)};
    const ssimcu_status status =
        run_read_records(&delivery->earlier, &neighbours, &delivery->message);
    if (status != SSIMCU_OK)
        delivery->status = status; /* the end may have delivered waiting frames */
    return delivery->status == SSIMCU_OK;
}

static ssimcu_status merge(struct ssimcu_run *run, ssimcu_message *message)
{
    struct out_run *out = run->out;
    struct delivery *delivery = &out->delivery;
    const struct results_reader *earlier = &delivery->earlier;
    run_header_read(&delivery->header, &run->options, &run->merged);
    delivery->input = &run->merged.input;
    run->limits.layers = run->merged.input.layers;
    delivery->settings = &run->merged.settings;
    const bool merged = merge_records(out);
    if (merged && !delivery->header.check && !earlier->chosen && !run->merged.input.shortest)
        run_miss_behind(run, 0, out->end);
    if (!earlier->complete)
        hooks_log(&run->hooks, SSIMCU_LOG_WARNING, "merge: a file is from an interrupted run");
    const bool all = has_all_shards(run, earlier);
    delivery->summary.complete = merged && earlier->complete && all;
    writer_drop(delivery->writer); /* a merge can be repeated but not resumed */
    (void)message;
    return SSIMCU_OK;
}

static ssimcu_status begin(struct ssimcu_run *run, struct out_run *out, ssimcu_message *message)
{
    TRY(delivery_begin_merge(&out->delivery, message));
    if (contract_is_video(out->delivery.header.contract)) TRY(run_expect_frames(run, message));
    run_offer_learned(run);
    return SSIMCU_OK;
}

const struct work work_merge = {.begin = begin, .work = merge};
