/* The verdict as the summary has it. */
#include "results/lines.h"

#include <jansson.h>
#include <string.h>

static json_t *frames_with(const struct verdict *verdict, enum fault fault)
{
    json_t *json = json_array();
    for (size_t i = 0; i < verdict->listed; i++)
        if (verdict->frame[i].faults >> fault & 1)
            json = json_append(json, json_integer(verdict->frame[i].frame));
    return json;
}

static json_t *reasons_to_json(const struct verdict *verdict, const struct summary *summary)
{
    json_t *json = json_array();
    if (verdict->nothing_scored) json = json_append(json, json_pack("{s:s}", "kind", "no score"));
    if (verdict->incomplete) json = json_append(json, json_pack("{s:s}", "kind", "incomplete"));
    if (verdict->low_mean)
        json = json_append(json, json_pack("{s:s, s:f, s:f}", "kind", "min_score", "limit",
                                           verdict->limits.min_score, "mean", summary->all.mean));
    for (int i = 0; i < FAULT_COUNT; i++) {
        if (!verdict_counts(verdict, i)) continue;
        json_t *reason =
            json_pack("{s:s, s:I}", "kind", fault_names[i], "count", (json_int_t)verdict->count[i]);
        if (i < FAULT_MISSING)
            reason = json_put(reason, "limit", json_real(verdict_limit(verdict, i)));
        json = json_append(json, json_put(reason, "frames", frames_with(verdict, i)));
    }
    return json;
}

static json_t *faults_to_json(unsigned faults)
{
    json_t *json = json_array();
    for (int i = 0; i < FAULT_COUNT; i++)
        if (faults >> i & 1) json = json_append(json, json_string(fault_names[i]));
    return json;
}

static json_t *frame_to_json(const struct verdict_frame *frame)
{
    json_t *json = json_pack("{s:I, s:o}", "frame", (json_int_t)frame->frame, "faults",
                             faults_to_json(frame->faults));
    if (frame->scored) json = json_put(json, "score", json_real(frame->score));
    if (frame->has_baseline) json = json_put(json, "baseline", json_real(frame->baseline));
    if (frame->tile.known) json = json_put(json, "tile", tile_to_json(&frame->tile));
    if (frame->hints) json = json_put(json, "hints", hints_to_json(frame->hints));
    if (frame->why) json = json_put(json, "message", path_to_json(frame->why));
    if (frame->ref) json = json_put(json, "ref", path_to_json(frame->ref));
    return frame->out ? json_put(json, "out", path_to_json(frame->out)) : json;
}

json_t *verdict_to_json(const struct verdict *verdict, const struct summary *summary)
{
    json_t *frames = json_array();
    for (size_t i = 0; i < verdict->listed; i++)
        frames = json_append(frames, frame_to_json(&verdict->frame[i]));
    return json_pack("{s:b, s:o, s:o}", "passed", (int)verdict->passed, "reasons",
                     reasons_to_json(verdict, summary), "frames", frames);
}
