/* What is said of a single pair. */
#include "console.h"

#include "results/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static json_t *side_to_json(const struct console_side *side)
{
    struct object json;
    object_start(&json);
    object_path(&json, "path", side->path);
    object_text(&json, "format", side->format);
    object_count(&json, "channels", side->frame.channels);
    if (side->frame.bits >= SSIMCU_BITS_FLOAT) object_text(&json, "samples", "float");
    object_count(&json, "bits", side->frame.bits % SSIMCU_BITS_FLOAT);
    object_real(&json, "decode_ms", side->decode_ms);
    return object_end(&json);
}

/* The L of the formula. */
static int peak_of(const struct scored_pair *result)
{
    const bool pu21 = result->options->light.transfer == SSIMCU_TRANSFER_PU21;
    if (result->score.bits == 0) return pu21 ? 256 : 1;
    return (1 << result->score.bits) - 1;
}

static bool is_light(const struct scored_pair *result)
{
    return result->light[0].known || result->light[1].known;
}

static json_t *stages_to_json(const struct scored_pair *result)
{
    const ssimcu_stage_ms *ms = &result->score.ms;
    struct object json;
    object_start(&json);
    object_real(&json, "start", result->start_ms);
    object_real(&json, "upload", ms->upload);
    object_real(&json, "planes", ms->planes);
    object_real(&json, "ssim", ms->ssim);
    object_real(&json, "reduce", ms->reduce);
    object_real(&json, "download", ms->download);
    return object_end(&json);
}

static bool is_low(const struct scored_pair *result)
{
    return result->score.score < result->options->limits.min_score;
}

static bool is_tile_low(const struct scored_pair *result)
{
    return result->tile.known && result->tile.score < result->options->limits.min_tile;
}

/* What was asked for, and whether it was kept. */
static void put_limits(struct object *json, const struct scored_pair *result)
{
    const struct limits *limits = &result->options->limits;
    const bool score = isfinite(limits->min_score), tile = isfinite(limits->min_tile);
    if (score) object_real(json, "min_score", limits->min_score);
    if (tile) object_real(json, "min_tile", limits->min_tile);
    if (score || tile) object_bool(json, "pass", !is_low(result) && !is_tile_low(result));
}

static json_t *result_to_json(const struct scored_pair *result)
{
    const ssimcu_score *score = &result->score;
    const ssimcu_frame *ref = &result->side[0].frame, *out = &result->side[1].frame;
    const char *layout = contract_layout(ref, out, 1, score);
    const struct contract contract = {.settings = &result->options->settings,
                                      .peak = peak_of(result),
                                      .region = result->options->input.region,
                                      .tile = result->options->tile,
                                      .light = is_light(result) ? &result->options->light : NULL};
    struct object json;
    object_start(&json);
    object_text(&json, "ssimcu", ssimcu_version());
    object_real(&json, "score", score->score);
    object_put(&json, "channels", channels_to_json(layout, score->channels, score->channel));
    object_count(&json, "width", ref->width);
    object_count(&json, "height", ref->height);
    object_count(&json, "bits", score->bits);
    object_text(&json, "background", contract_backgrounds[score->background]);
    object_put(&json, "contract", contract_to_json(&contract));
    object_put(&json, "ref", side_to_json(&result->side[0]));
    object_put(&json, "out", side_to_json(&result->side[1]));
    object_text(&json, "backend", result->device);
    object_path(&json, "reason", result->reason);
    object_put(&json, "ms", stages_to_json(result));
    if (result->tile.known) object_put(&json, "tile", tile_to_json(&result->tile));
    if (is_light(result)) object_put(&json, "light", light_to_json(result->light));
    if (result->hints[0]) object_put(&json, "hints", hints_to_json(result->hints));
    put_limits(&json, result);
    return object_end(&json);
}

enum exit_code console_json(const struct scored_pair *result)
{
    char *text = json_to_text(result_to_json(result), JSON_INDENT(2));
    if (!text) {
        console_line("out of memory");
        return EXIT_INTERNAL;
    }
    const bool written = puts(text) >= 0;
    free(text);
    return console_flush(written) ? EXIT_SCORED : EXIT_OUTPUT;
}

void console_stages(const struct scored_pair *result)
{
    const ssimcu_stage_ms *ms = &result->score.ms;
    const ssimcu_settings *settings = &result->options->settings;
    const char *background = contract_backgrounds[result->score.background];
    console_line("backend %s: %s", result->device, result->reason);
    console_line("contract: full resolution, window 11x11 sigma 1.5, L %d, %s, %s%s%s",
                 peak_of(result), contract_pads[settings->pad], contract_colors[settings->color],
                 background ? ", over " : "", background ? background : "");
    char tile[CONSOLE_TILE], light[CONTRACT_LIGHT_TEXT];
    if (is_light(result))
        console_line("linear light: %s; clamped: %.4f %% of REF, %.4f %% of OUT",
                     contract_light_text(&result->options->light, light),
                     100 * result->light[0].clamped, 100 * result->light[1].clamped);
    if (result->light[0].outside > 0 || result->light[1].outside > 0)
        console_line("outside the data window, where all is 0: %.4f %% of REF, %.4f %% of OUT",
                     100 * result->light[0].outside, 100 * result->light[1].outside);
    if (result->tile.known) console_line("worst tile %s", console_tile(tile, &result->tile));
    if (result->hints[0]) console_line("hint: %s", result->hints);
    console_line("ms: decode %.1f (%s) and %.1f (%s) beside start %.1f; upload %.3f, planes %.3f, "
                 "ssim %.3f, reduce %.3f, download %.3f",
                 result->side[0].decode_ms, result->side[0].reader, result->side[1].decode_ms,
                 result->side[1].reader, result->start_ms, ms->upload, ms->planes, ms->ssim,
                 ms->reduce, ms->download);
}

/* What the score says nothing of. */
static void console_light(const struct scored_pair *result)
{
    static const char *const names[] = {"REF", "OUT"};
    if (record_clamped(result->light) > RECORD_CLAMPED_MOST)
        console_line("clamped: %.1f %% of REF's pixels and %.1f %% of OUT's are where the curve "
                     "ends: " CONSOLE_CLAMPED,
                     100 * result->light[0].clamped, 100 * result->light[1].clamped);
    for (int s = 0; s < 2; s++)
        if (result->light[s].not_finite > 0)
            console_line("--nan zero: %" PRIu64 " samples of %s are not finite and counted as 0",
                         result->light[s].not_finite, names[s]);
}

bool console_pair_verdict(const struct scored_pair *result)
{
    const struct limits *limits = &result->options->limits;
    const bool low = is_low(result), low_tile = is_tile_low(result);
    char text[CONSOLE_TILE], digits[TEXT_DIGITS];
    if (result->options->quiet) return !low && !low_tile;
    console_light(result);
    if (low)
        console_line("below: score %s under --min-score %.9g",
                     text_digits(digits, result->score.score), limits->min_score);
    if (low_tile)
        console_line("below: tile %s under --min-tile %.9g", console_tile(text, &result->tile),
                     limits->min_tile);
    if ((low || low_tile) && result->hints[0]) console_line("hint: %s", result->hints);
    return !low && !low_tile;
}
