/* The verdict as a JSON object, for the summary's line and for --json. */
#include "base/json.h"
#include "base/text.h"
#include "lines/lines.h"

/* Returns the number of a frame, or its name with its shot. */
static json_t *name_to_json(const struct verdict_frame *frame)
{
    char name[TEXT_FRAME];
    return frame->shot ? json_of_path(text_frame(name, frame->shot, frame->frame))
                       : json_integer(frame->frame);
}

static json_t *frames_with(const struct verdict *verdict, int fault)
{
    json_t *json = json_array();
    for (size_t i = 0; i < verdict->listed; i++)
        if (verdict->frame[i].judged.fails >> fault & 1)
            json = json_add(json, name_to_json(&verdict->frame[i]));
    return json;
}

static json_t *plain_reason(const char *kind) { return json_pack("{ss}", "kind", kind); }

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
    object_text(&json, "kind", finding_row(fault)->name);
    if (fault < FINDING_LEARNED && limits_has(&verdict->limits, fault))
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
    for (int i = 0; i < FINDING_KINDS; i++)
        if (verdict_counts(verdict, i)) json = json_add(json, fault_to_json(verdict, i));
    return json;
}

static json_t *frame_to_json(const struct verdict_frame *frame)
{
    struct object json = object_new();
    if (frame->frame < 0)
        object_text(&json, "frame", NULL);
    else
        object_count(&json, "frame", frame->frame);
    if (frame->shot) object_path(&json, "shot", frame->shot);
    object_put(&json, "findings", findings_to_json(&frame->findings));
    object_path(&json, "ref", frame->ref);
    object_path(&json, "out", frame->out);
    return object_end(&json);
}

/* Clamped pixels are not a fault, but many of them make the score less meaningful. */
static json_t *clamped_to_json(const struct verdict *verdict)
{
    struct object json = object_new();
    object_real(&json, "above", RECORD_CLAMPED_MOST);
    object_count(&json, "count", (int64_t)verdict->clamped);
    object_real(&json, "most", verdict->most_clamped);
    object_count(&json, "frame", verdict->clamped_frame);
    if (verdict->clamped_shot) object_path(&json, "shot", verdict->clamped_shot);
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
