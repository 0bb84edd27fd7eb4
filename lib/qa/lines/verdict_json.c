/* The verdict as a JSON object, for the summary's line and for --json. */
#include "base/json.h"
#include "base/object.h"
#include "base/text.h"
#include "lines/lines.h"

#include <math.h>

/* Returns the number of a frame, or its name with its part. */
static json_t *name_to_json(const struct verdict_frame *frame)
{
    char name[TEXT_FRAME];
    return frame->part ? json_of_path(text_frame(name, frame->part, frame->frame))
                       : json_integer(frame->frame);
}

static json_t *frames_with(const struct verdict *verdict, int fault)
{
    json_t *json = json_array();
    for (size_t i = 0; i < verdict->listed; i++)
        if (verdict->frame[i].judged.faults >> fault & 1)
            json = json_add(json, name_to_json(&verdict->frame[i]));
    return json;
}

static json_t *plain_reason(const char *kind)
{
    struct object json = object_new();
    object_text(&json, "kind", kind);
    return object_end(&json);
}

static json_t *mean_to_json(const struct verdict *verdict, const struct summary *summary,
                            ssimcu_metric metric)
{
    struct object json = object_new();
    object_text(&json, "kind", verdict_mean_kinds[metric]);
    object_real(&json, "limit", limits_score(&verdict->limits, metric));
    if (summary->numbers.metrics[metric].scored > 0)
        object_put(&json, "mean", lines_value_to_json(summary->numbers.metrics[metric].score));
    return object_end(&json);
}

static json_t *fault_to_json(const struct verdict *verdict, int fault)
{
    struct object json = object_new();
    object_text(&json, "kind", faults_row(fault)->name);
    if (fault < FAULT_FLOOR && limits_has(&verdict->limits, fault))
        object_real(&json, "limit", limits_number(&verdict->limits, fault));
    object_count(&json, "count", (int64_t)verdict->count[fault]);
    object_put(&json, "frames", frames_with(verdict, fault));
    return object_end(&json);
}

static json_t *reasons_to_json(const struct verdict *verdict, const struct summary *summary)
{
    json_t *json = json_array();
    if (verdict->nothing_scored) json = json_add(json, plain_reason("nothing scored"));
    if (verdict->incomplete) json = json_add(json, plain_reason("incomplete"));
    for (int m = 0; m < SSIMCU_METRICS; m++)
        if (verdict->low_mean >> m & 1) json = json_add(json, mean_to_json(verdict, summary, m));
    if (verdict->unlimited) json = json_add(json, plain_reason("no limit"));
    for (int i = 0; i < FAULT_COUNT; i++)
        if (verdict_counts(verdict, i)) json = json_add(json, fault_to_json(verdict, i));
    return json;
}

static json_t *faults_to_json(unsigned faults)
{
    json_t *json = json_array();
    for (int i = 0; i < FAULT_COUNT; i++)
        if (faults >> i & 1) json = json_add(json, json_string(faults_row(i)->name));
    return json;
}

static bool has_rule(const struct limits *limits)
{
    bool any = false;
    for (int f = 0; f < FAULT_MISSING; f++) any = any || limits->rule[f];
    return any;
}

/* Returns the limits of a file that the frame is beyond, and which rules they are of. */
static json_t *rules_to_json(const struct verdict_frame *frame)
{
    json_t *list = json_array();
    for (int f = 0; f < FAULT_MISSING; f++) {
        if (!(frame->judged.faults >> f & 1) || !frame->judged.own.rule[f]) continue;
        struct object json = object_new();
        object_text(&json, "kind", faults_row(f)->name);
        if (f == FAULT_FLOOR)
            object_real(&json, "limit", frame->judged.own.max_excess[frame->floor_worst]);
        else if (f < FAULT_FLOOR)
            object_real(&json, "limit", limits_number(&frame->judged.own, f));
        object_text(&json, "rule", frame->judged.own.rule[f]);
        list = json_add(list, object_end(&json));
    }
    return list;
}

static json_t *frame_to_json(const struct verdict_frame *frame)
{
    struct object json = object_new();
    object_count(&json, "frame", frame->frame);
    if (frame->part) object_path(&json, "part", frame->part);
    object_put(&json, "faults", faults_to_json(frame->judged.faults));
    if (has_rule(&frame->judged.own)) object_put(&json, "limits", rules_to_json(frame));
    if (frame->scored && !isnan(frame->score)) object_real(&json, "score", frame->score);
    for (int m = SSIMCU_METRIC_PSNR; m < SSIMCU_METRICS; m++)
        if (frame->judged.faults >> limits_fault(m) & 1 && frame->metrics >> m & 1)
            object_put(&json, metrics_key(m), lines_value_to_json(frame->metric[m]));
    if (frame->judged.has_baseline) object_real(&json, "baseline", frame->judged.baseline.score);
    if (frame->judged.baseline.tiled)
        object_real(&json, "baseline_tile", frame->judged.baseline.tile);
    if (frame->tile.width > 0) object_put(&json, "tile", record_tile_to_json(&frame->tile));
    if (frame->shift.width > 0)
        object_put(&json, "shift", record_shift_to_json(frame->layout, &frame->shift));
    if (frame->floor.known)
        object_put(&json, "floor",
                   record_floor_to_json(frame->layout, &frame->floor, frame->floor_worst));
    if (frame->hints) object_put(&json, "hints", record_hints_to_json(frame->hints));
    if (frame->reason) object_path(&json, "message", frame->reason);
    object_path(&json, "ref", frame->ref);
    object_path(&json, "out", frame->out);
    return object_end(&json);
}

/* Clamped pixels are no fault, but many of them make the score say less. */
static json_t *clamped_to_json(const struct verdict *verdict)
{
    struct object json = object_new();
    object_real(&json, "above", RECORD_CLAMPED_MOST);
    object_count(&json, "count", (int64_t)verdict->clamped);
    object_real(&json, "most", verdict->most_clamped);
    object_count(&json, "frame", verdict->clamped_frame);
    if (verdict->clamped_part) object_path(&json, "part", verdict->clamped_part);
    return object_end(&json);
}

json_t *verdict_to_json(const struct verdict *verdict, const struct summary *summary)
{
    json_t *frames = json_array();
    for (size_t i = 0; i < verdict->listed; i++)
        frames = json_add(frames, frame_to_json(&verdict->frame[i]));
    struct object json = object_new();
    object_bool(&json, "passed", verdict->passed);
    if (verdict->clamped > 0) object_put(&json, "clamped", clamped_to_json(verdict));
    object_put(&json, "reasons", reasons_to_json(verdict, summary));
    object_put(&json, "frames", frames);
    return object_end(&json);
}
