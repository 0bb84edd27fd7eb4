/* The summary as the last line of JSON Lines. */
#include "lines/fact.h"

#include <math.h>

static json_t *entry_to_json(const struct ranking_entry *entry, ssimcu_metric metric, bool tiles)
{
    struct object json = object_new();
    object_count(&json, "frame", entry->frame);
    if (entry->shot) object_path(&json, "shot", entry->shot);
    if (!tiles && !isnan(entry->score)) object_real(&json, "score", entry->score);
    if (!tiles && metric != SSIMCU_METRIC_SSIM)
        object_put(&json, metrics_key(metric), lines_value_to_json(entry->value));
    if (entry->tile.width > 0) object_put(&json, "tile", record_tile_to_json(&entry->tile));
    object_path(&json, "ref", entry->ref);
    object_path(&json, "out", entry->out);
    return object_end(&json);
}

static json_t *ranking_to_json(const struct ranking *ranking, ssimcu_metric metric, bool tiles)
{
    json_t *json = json_array();
    for (uint32_t i = 0; i < ranking->count; i++)
        json = json_add(json, entry_to_json(&ranking->entry[i], metric, tiles));
    return json;
}

/* Adds a number if it is known and finite, else null. */
static void put_number(struct object *json, const char *name, bool known, double value)
{
    object_put(json, name, known ? lines_value_to_json(value) : json_null());
}

static void put_counts(struct object *json, uint64_t pairs, uint64_t scored, uint64_t missing,
                       uint64_t failed)
{
    object_count(json, "frames", (int64_t)pairs);
    object_count(json, "scored", (int64_t)scored);
    object_count(json, "missing", (int64_t)missing);
    object_count(json, "failed", (int64_t)failed);
}

static json_t *tiles_to_json(const ssimcu_statistics *tiles)
{
    return json_pack("{sfsfsfsfsf}", "min", tiles->min, "p1", tiles->p1, "p5", tiles->p5, "p50",
                     tiles->p50, "max", tiles->max);
}

static void put_statistics(struct object *json, bool any, const ssimcu_statistics *all)
{
    put_number(json, "mean", any, all->mean);
    put_number(json, "harmonic_mean", any && all->has_harmonic_mean, all->harmonic_mean);
    put_number(json, "min", any, all->min);
    put_number(json, "max", any, all->max);
    put_number(json, "p1", any, all->p1);
    put_number(json, "p5", any, all->p5);
    put_number(json, "p50", any, all->p50);
    put_number(json, "stddev", any, all->stddev);
}

/* Returns the statistics of a metric other than SSIM. */
static json_t *metric_to_json(const struct summary_metric *metric)
{
    struct object json = object_new();
    object_put(&json, "score", lines_value_to_json(metric->score));
    object_count(&json, "frames", (int64_t)metric->scored);
    if (metric->identical > 0) object_count(&json, "identical", (int64_t)metric->identical);
    put_statistics(&json, true, &metric->all);
    return object_end(&json);
}

/* Adds the metrics other than SSIM. */
static void put_metrics(struct object *to, const struct summary_metric *metric)
{
    bool any = false;
    for (int m = SSIMCU_METRIC_PSNR; m < SSIMCU_METRICS; m++) any = any || metric[m].scored > 0;
    if (!any) return;
    struct object json = object_new();
    for (int m = SSIMCU_METRIC_PSNR; m < SSIMCU_METRICS; m++)
        if (metric[m].scored > 0) object_put(&json, metrics_key(m), metric_to_json(&metric[m]));
    object_put(to, "metrics", object_end(&json));
}

/* Adds the statistics of the run or of a shot. */
static void put_numbers(struct object *json, const struct summary_numbers *numbers)
{
    const struct summary_metric *ssim = &numbers->metrics[SSIMCU_METRIC_SSIM];
    put_statistics(json, ssim->scored > 0, &ssim->all);
    put_metrics(json, numbers->metrics);
    if (numbers->tiled > 0) object_put(json, "tiles", tiles_to_json(&numbers->tiles));
    if (numbers->layout)
        object_put(json, "channels",
                   contract_channels_to_json(numbers->layout, numbers->channels, numbers->channel));
}

static json_t *shot_to_json(const struct summary_shot *shot)
{
    const bool any = shot->numbers.metrics[SSIMCU_METRIC_SSIM].scored > 0;
    struct object json = object_new();
    object_path(&json, "shot", shot->name);
    put_counts(&json, shot->pairs, shot->scored, shot->missing, shot->failed);
    put_numbers(&json, &shot->numbers);
    object_put(&json, "worst", any ? json_integer(shot->worst) : json_null());
    if (shot->numbers.tiled > 0) object_count(&json, "worst_tile", shot->worst_tile);
    return object_end(&json);
}

static json_t *shots_to_json(const struct summary *summary)
{
    json_t *json = json_array();
    for (uint32_t i = 0; i < summary->shots; i++)
        json = json_add(json, shot_to_json(&summary->shot[i]));
    return json;
}

static json_t *left_to_json(const struct summary *summary)
{
    struct object json = object_new();
    object_count(&json, "frames", (int64_t)summary->left_frames);
    object_put(&json, "channels", record_left_to_json(summary->left));
    return object_end(&json);
}

static json_t *coded_to_json(const struct summary_coded *coded)
{
    struct object json = object_new();
    object_count(&json, "frames", (int64_t)coded->frames);
    object_count(&json, "bytes", (int64_t)coded->bytes);
    put_number(&json, "seconds", true, coded->seconds);
    put_number(&json, "bits_per_second", true, coded->rate);
    return object_end(&json);
}

static json_t *gap_to_json(const struct times_gap *gap)
{
    struct object json = object_new();
    object_count(&json, "frame", gap->frame);
    object_text(&json, "side", fact_sides[gap->side]);
    object_count(&json, "frames", gap->frames);
    return object_end(&json);
}

static json_t *times_to_json(const struct times *times)
{
    json_t *gaps = json_array();
    for (uint64_t i = 0; i < times->gaps && i < TIMES_NAMED; i++)
        gaps = json_add(gaps, gap_to_json(&times->gap[i]));
    struct object json = object_new();
    object_count(&json, "count", (int64_t)times->gaps);
    object_put(&json, "first", gaps);
    return object_end(&json);
}

/* Returns the number of frames with findings of each kind. */
static json_t *kinds_to_json(const struct verdict *verdict)
{
    struct object json = object_new();
    for (int kind = 0; kind < FINDING_KINDS; kind++)
        if (verdict->of_kind[kind] > 0)
            object_count(&json, finding_row(kind)->name, (int64_t)verdict->of_kind[kind]);
    return object_end(&json);
}

char *summary_to_json(const struct summary *s, const struct verdict *verdict)
{
    struct object json = object_new();
    object_text(&json, "type", "summary");
    object_bool(&json, "complete", s->complete);
    put_counts(&json, s->pairs, s->scored, s->missing, s->failed);
    if (s->checked > 0) object_count(&json, "checked", (int64_t)s->checked);
    if (s->variants > 0) object_count(&json, "variants", (int64_t)s->variants);
    if (s->stale > 0) object_count(&json, "stale", (int64_t)s->stale);
    put_numbers(&json, &s->numbers);
    if (s->coded.frames > 0) object_put(&json, "coded", coded_to_json(&s->coded));
    if (s->times.gaps > 0) object_put(&json, "gaps", times_to_json(&s->times));
    if (s->left) object_put(&json, "not_compared", left_to_json(s));
    object_put(&json, "worst", ranking_to_json(&s->worst, s->metric, false));
    if (s->worst_tiles.count > 0)
        object_put(&json, "worst_tiles", ranking_to_json(&s->worst_tiles, s->metric, true));
    if (s->shots > 0) object_put(&json, "shots", shots_to_json(s));
    if (verdict) object_put(&json, "findings", kinds_to_json(verdict));
    if (verdict) object_count(&json, "below", (int64_t)verdict->bad);
    if (verdict) object_put(&json, "verdict", verdict_to_json(verdict, s));
    return json_to_line(object_end(&json));
}
