/* What is said of a single pair. */
#include "report.h"

#include "results/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static json_t *side_to_json(const struct report_side *side)
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
static int peak_of(const struct report *report)
{
    const bool pu21 = report->options->light.transfer == SSIMCU_TRANSFER_PU21;
    if (report->score.bits == 0) return pu21 ? 256 : 1;
    return (1 << report->score.bits) - 1;
}

static bool is_light(const struct report *report)
{
    return report->light[0].known || report->light[1].known;
}

static json_t *stages_to_json(const struct report *report)
{
    const ssimcu_stage_ms *ms = &report->score.ms;
    struct object json;
    object_start(&json);
    object_real(&json, "start", report->start_ms);
    object_real(&json, "upload", ms->upload);
    object_real(&json, "planes", ms->planes);
    object_real(&json, "ssim", ms->ssim);
    object_real(&json, "reduce", ms->reduce);
    object_real(&json, "download", ms->download);
    return object_end(&json);
}

static bool is_low(const struct report *report)
{
    return report->score.score < report->options->limits.min_score;
}

static bool is_tile_low(const struct report *report)
{
    return report->tile.known && report->tile.score < report->options->limits.min_tile;
}

/* What was asked for, and whether it was kept. */
static void put_limits(struct object *json, const struct report *report)
{
    const struct limits *limits = &report->options->limits;
    const bool score = isfinite(limits->min_score), tile = isfinite(limits->min_tile);
    if (score) object_real(json, "min_score", limits->min_score);
    if (tile) object_real(json, "min_tile", limits->min_tile);
    if (score || tile) object_bool(json, "pass", !is_low(report) && !is_tile_low(report));
}

static json_t *report_to_json(const struct report *report)
{
    const ssimcu_score *score = &report->score;
    const ssimcu_frame *ref = &report->side[0].frame, *out = &report->side[1].frame;
    const char *layout = contract_layout(ref, out, 1, score);
    const struct contract contract = {.settings = &report->options->settings,
                                      .peak = peak_of(report),
                                      .region = report->options->input.region,
                                      .tile = report->options->tile,
                                      .light = is_light(report) ? &report->options->light : NULL};
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
    object_put(&json, "ref", side_to_json(&report->side[0]));
    object_put(&json, "out", side_to_json(&report->side[1]));
    object_text(&json, "backend", report->device);
    object_path(&json, "reason", report->reason);
    object_put(&json, "ms", stages_to_json(report));
    if (report->tile.known) object_put(&json, "tile", tile_to_json(&report->tile));
    if (is_light(report)) object_put(&json, "light", light_to_json(report->light));
    if (report->hints[0]) object_put(&json, "hints", hints_to_json(report->hints));
    put_limits(&json, report);
    return object_end(&json);
}

enum exit_code report_json(const struct report *report)
{
    char *text = text_of_json(report_to_json(report), JSON_INDENT(2));
    if (!text) {
        report_line("out of memory");
        return EXIT_INTERNAL;
    }
    const bool written = puts(text) >= 0;
    free(text);
    return report_flush(written) ? EXIT_SCORED : EXIT_OUTPUT;
}

void report_stages(const struct report *report)
{
    const ssimcu_stage_ms *ms = &report->score.ms;
    const ssimcu_settings *settings = &report->options->settings;
    const char *background = contract_backgrounds[report->score.background];
    report_line("backend %s: %s", report->device, report->reason);
    report_line("contract: full resolution, window 11x11 sigma 1.5, L %d, %s, %s%s%s",
                peak_of(report), contract_pads[settings->pad], contract_colors[settings->color],
                background ? ", over " : "", background ? background : "");
    char tile[REPORT_TILE], light[CONTRACT_LIGHT_TEXT];
    if (is_light(report))
        report_line("linear light: %s; clamped: %.4f %% of REF, %.4f %% of OUT",
                    contract_light_text(&report->options->light, light),
                    100 * report->light[0].clamped, 100 * report->light[1].clamped);
    if (report->tile.known) report_line("worst tile %s", report_tile(tile, &report->tile));
    if (report->hints[0]) report_line("hint: %s", report->hints);
    report_line("ms: decode %.1f (%s) and %.1f (%s) beside start %.1f; upload %.3f, planes %.3f, "
                "ssim %.3f, reduce %.3f, download %.3f",
                report->side[0].decode_ms, report->side[0].reader, report->side[1].decode_ms,
                report->side[1].reader, report->start_ms, ms->upload, ms->planes, ms->ssim,
                ms->reduce, ms->download);
}

/* What the score says nothing of. */
static void report_light(const struct report *report)
{
    static const char *const names[] = {"REF", "OUT"};
    if (record_clamped(report->light) > RECORD_CLAMPED_MOST)
        report_line("clamped: %.1f %% of REF's pixels and %.1f %% of OUT's are where the curve "
                    "ends: " REPORT_CLAMPED,
                    100 * report->light[0].clamped, 100 * report->light[1].clamped);
    for (int s = 0; s < 2; s++)
        if (report->light[s].not_finite > 0)
            report_line("--nan zero: %" PRIu64 " samples of %s are not finite and counted as 0",
                        report->light[s].not_finite, names[s]);
}

bool report_pair_verdict(const struct report *report)
{
    const struct limits *limits = &report->options->limits;
    const bool low = is_low(report), low_tile = is_tile_low(report);
    char text[REPORT_TILE], digits[REPORT_DIGITS];
    if (report->options->quiet) return !low && !low_tile;
    report_light(report);
    if (low)
        report_line("below: score %s under --min-score %.9g",
                    report_digits(digits, report->score.score), limits->min_score);
    if (low_tile)
        report_line("below: tile %s under --min-tile %.9g", report_tile(text, &report->tile),
                    limits->min_tile);
    if ((low || low_tile) && report->hints[0]) report_line("hint: %s", report->hints);
    return !low && !low_tile;
}
