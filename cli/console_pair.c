/* Everything that is printed about a single pair. */
#include "console.h"

#include "results/json.h"
#include "results/object.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Returns the L of SSIM's formula. */
static int peak_of(const struct console_pair *pair)
{
    const bool pu21 = pair->options->light.transfer == SSIMCU_TRANSFER_PU21;
    if (pair->record->bits == 0) return pu21 ? 256 : 1;
    return (1 << pair->record->bits) - 1;
}

static bool is_light(const struct record *record)
{
    return record->light[0].known || record->light[1].known;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* Returns a side of the record, with the members that only a pair has. */
static json_t *side_to_json(const json_t *record, const char *name, const struct console_side *side)
{
    struct object json;
    object_start(&json);
    object_text(&json, "format", side->format);
    object_count(&json, "channels", side->frame.channels);
    if (side->frame.bits >= SSIMCU_BITS_FLOAT) object_text(&json, "samples", "float");
    object_count(&json, "bits", side->frame.bits % SSIMCU_BITS_FLOAT);
    object_real(&json, "decode_ms", side->decode_ms);
    return object_join(json_object_get(record, name), object_end(&json));
}

static json_t *stages_to_json(const struct console_pair *pair)
{
    const ssimcu_stage_ms *ms = &pair->ms;
    struct object json;
    object_start(&json);
    object_real(&json, "start", pair->start_ms);
    object_real(&json, "upload", ms->upload);
    object_real(&json, "planes", ms->planes);
    object_real(&json, "ssim", ms->ssim);
    object_real(&json, "reduce", ms->reduce);
    object_real(&json, "download", ms->download);
    return object_end(&json);
}

/* What is known only of a pair that this run has scored, and no earlier one. */
static void put_measured(struct object *json, const struct console_pair *pair, const json_t *record)
{
    object_count(json, "width", pair->side[0].frame.width);
    object_count(json, "height", pair->side[0].frame.height);
    object_put(json, "ref", side_to_json(record, "ref", &pair->side[0]));
    object_put(json, "out", side_to_json(record, "out", &pair->side[1]));
    object_path(json, "reason", pair->reason);
    object_put(json, "ms", stages_to_json(pair));
}

/* Puts the record's members first, as in every line of results, then those that only a pair has. */
static json_t *pair_to_json(const struct console_pair *pair, const struct header *header,
                            const struct verdict *verdict, const struct summary *summary)
{
    json_t *record = record_to_object(pair->record, "pair");
    struct object json;
    object_start(&json);
    object_count(&json, "schema", CONTRACT_SCHEMA);
    object_text(&json, "ssimcu", ssimcu_version());
    object_put(&json, "contract", json_incref(header->contract));
    object_put(&json, "input", json_incref(header->input));
    object_put(&json, "device", json_incref(header->device));
    object_count(&json, "peak", peak_of(pair));
    if (pair->device) put_measured(&json, pair, record);
    object_put(&json, "verdict", verdict_to_json(verdict, summary));
    json_t *joined = object_join(record, object_end(&json));
    json_decref(record);
    return joined;
}

enum exit_code console_json(const struct console_pair *pair, const struct header *header,
                            const struct verdict *verdict, const struct summary *summary)
{
    char *text = json_to_text(pair_to_json(pair, header, verdict, summary), JSON_INDENT(2));
    if (!text) {
        console_line("out of memory");
        return EXIT_INTERNAL;
    }
    const bool written = puts(text) >= 0;
    free(text);
    return console_flush(written) ? EXIT_SCORED : EXIT_OUTPUT;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

void console_stages(const struct console_pair *pair)
{
    const ssimcu_stage_ms *ms = &pair->ms;
    const struct record *record = pair->record;
    const ssimcu_settings *settings = &pair->options->settings;
    const char *background = contract_backgrounds[record->background];
    console_line("backend %s: %s", pair->device, pair->reason);
    console_line("contract: full resolution, window 11x11 sigma 1.5, L %d, %s, %s%s%s",
                 peak_of(pair), contract_pads[settings->pad], contract_colors[settings->color],
                 background ? ", over " : "", background ? background : "");
    char tile[CONSOLE_TILE], light[CONTRACT_LIGHT_TEXT];
    if (is_light(record))
        console_line("linear light: %s; clamped: %.4f %% of REF, %.4f %% of OUT",
                     contract_light_text(&pair->options->light, light),
                     100 * record->light[0].clamped, 100 * record->light[1].clamped);
    if (record->light[0].outside > 0 || record->light[1].outside > 0)
        console_line("outside the data window, where all is 0: %.4f %% of REF, %.4f %% of OUT",
                     100 * record->light[0].outside, 100 * record->light[1].outside);
    if (record->tile.known) console_line("worst tile %s", console_tile(tile, &record->tile));
    if (record->hints[0]) console_line("hint: %s", record->hints);
    console_line("ms: decode %.1f (%s) and %.1f (%s) beside start %.1f; upload %.3f, planes %.3f, "
                 "ssim %.3f, reduce %.3f, download %.3f",
                 pair->side[0].decode_ms, pair->side[0].reader, pair->side[1].decode_ms,
                 pair->side[1].reader, pair->start_ms, ms->upload, ms->planes, ms->ssim, ms->reduce,
                 ms->download);
}

/* Prints what the score does not cover. */
static void console_light(const struct record_light light[2])
{
    static const char *const names[] = {"REF", "OUT"};
    if (record_clamped(light) > RECORD_CLAMPED_MOST)
        console_line("clamped: %.1f %% of REF's pixels and %.1f %% of OUT's are where the curve "
                     "ends: " CONSOLE_CLAMPED,
                     100 * light[0].clamped, 100 * light[1].clamped);
    for (int s = 0; s < 2; s++)
        if (light[s].not_finite > 0)
            console_line("--nan zero: %" PRIu64 " samples of %s are not finite and counted as 0",
                         light[s].not_finite, names[s]);
}

void console_pair_verdict(const struct console_pair *pair, const struct verdict *verdict)
{
    const struct record *record = pair->record;
    const struct limits *limits = &verdict->limits;
    char tile[CONSOLE_TILE], score[TEXT_DIGITS];
    text_digits(score, record->score);
    console_light(record->light);
    if (verdict->low_mean)
        console_line("below: score %s under --min-score %.9g", score, limits->min_score);
    if (verdict->too_many && verdict->count[FAULT_FRAME] > 0)
        console_line("below: score %s under --min-frame %.9g", score, limits->min_frame);
    for (int i = 0; i < FAULT_MISSING; i++)
        if (verdict->unjudged[i] > 0)
            console_line("below: %s %.9g judges nothing: %s", console_limits[i],
                         verdict_limit(verdict, i), verdict_unjudged[i]);
    if (verdict->too_many && verdict->count[FAULT_TILE] > verdict->unjudged[FAULT_TILE])
        console_line("below: tile %s under --min-tile %.9g", console_tile(tile, &record->tile),
                     limits->min_tile);
    if (verdict->too_many && verdict->count[FAULT_DROP] > verdict->unjudged[FAULT_DROP])
        console_line("below: score %s over --max-drop %.9g", score, limits->max_drop);
    if (!verdict->passed && record->hints[0]) console_line("hint: %s", record->hints);
}
