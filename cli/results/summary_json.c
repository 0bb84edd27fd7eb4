/* The summary as the last line of JSON Lines. */
#include "results/lines.h"

#include <jansson.h>

static json_t *number(bool there, double value) { return there ? json_real(value) : json_null(); }

static json_t *ranked_to_json(const struct ranked *entry, bool tiles)
{
    json_t *json = json_pack("{s:I}", "frame", (json_int_t)entry->frame);
    if (!tiles) json = json_put(json, "score", json_real(entry->score));
    if (entry->tile.known) json = json_put(json, "tile", tile_to_json(&entry->tile));
    json = json_put(json, "ref", entry->ref ? path_to_json(entry->ref) : json_null());
    return json_put(json, "out", entry->out ? path_to_json(entry->out) : json_null());
}

static json_t *ranking_to_json(const struct ranking *ranking, bool tiles)
{
    json_t *json = json_array();
    for (uint32_t i = 0; i < ranking->count; i++)
        json = json_append(json, ranked_to_json(&ranking->entry[i], tiles));
    return json;
}

static json_t *part_to_json(const struct summary_part *part)
{
    const bool any = part->scored > 0;
    return json_pack("{s:o, s:I, s:I, s:I, s:I, s:o, s:o, s:o}", "part", path_to_json(part->name),
                     "frames", (json_int_t)part->pairs, "scored", (json_int_t)part->scored,
                     "missing", (json_int_t)part->missing, "failed", (json_int_t)part->failed,
                     "mean", number(any, part->sum / (double)part->scored), "min",
                     number(any, part->min), "worst",
                     any ? json_integer(part->worst) : json_null());
}

static json_t *parts_to_json(const struct summary *summary)
{
    json_t *json = json_array();
    for (uint32_t i = 0; i < summary->parts; i++)
        json = json_append(json, part_to_json(&summary->part[i]));
    return json;
}

static json_t *numbers_to_json(const struct summary *s)
{
    const bool any = s->scored > 0;
    const struct statistics *all = &s->all;
    return json_pack(
        "{s:s, s:b, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "type", "summary",
        "complete", (int)s->complete, "frames", (json_int_t)s->pairs, "scored",
        (json_int_t)s->scored, "missing", (json_int_t)s->missing, "failed", (json_int_t)s->failed,
        "mean", number(any, all->mean), "harmonic_mean",
        number(any && all->has_harmonic_mean, all->harmonic_mean), "min", number(any, all->min),
        "max", number(any, all->max), "p1", number(any, all->p1), "p5", number(any, all->p5), "p50",
        number(any, all->p50), "stddev", number(any, all->stddev));
}

char *summary_to_json(const struct summary *s, const struct verdict *verdict)
{
    json_t *json = numbers_to_json(s);
    if (s->scored > 0 && s->layout)
        json = json_put(json, "channels", channels_to_json(s->layout, s->channels, s->channel));
    json = json_put(json, "worst", ranking_to_json(&s->worst, false));
    if (s->worst_tiles.count > 0)
        json = json_put(json, "worst_tiles", ranking_to_json(&s->worst_tiles, true));
    if (s->parts > 0) json = json_put(json, "parts", parts_to_json(s));
    if (verdict) {
        json = json_put(json, "below", json_integer((json_int_t)verdict->bad));
        json = json_put(json, "verdict", verdict_to_json(verdict, s));
    }
    return line_of_json(json);
}
