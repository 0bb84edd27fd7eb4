#include "report.h"

#include "results/record.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>

static json_t *json_side(const struct report_side *side)
{
    return json_pack("{s:o, s:s, s:i, s:i, s:f}", "path", record_json_path(side->path), "format",
                     side->format, "channels", (int)side->shape.channels, "bits",
                     (int)side->shape.bits, "decode_ms", side->decode_ms);
}

static json_t *json_contract(const struct report *report)
{
    const ssimcu_settings *settings = &report->options->settings;
    return json_pack("{s:s, s:s, s:f, s:f, s:i, s:s, s:s, s:s, s:b}", "metric", "ssim", "window",
                     "gaussian 11x11 sigma 1.5", "k1", 0.01, "k2", 0.03, "peak",
                     report->score.bits == 16 ? 65535 : 255, "pad", options_pad_name(settings->pad),
                     "color", options_color_name(settings->color), "alpha",
                     options_alpha_name(settings->alpha), "downsampled", 0);
}

static json_t *json_channels(const struct report *report)
{
    const ssimcu_score *score = &report->score;
    if (score->channels == 3)
        return json_pack("{s:f, s:f, s:f}", "r", score->channel[0], "g", score->channel[1], "b",
                         score->channel[2]);
    const bool grey = report->ref.shape.channels < 3 && report->out.shape.channels < 3;
    return json_pack("{s:f}", grey ? "grey" : "y", score->channel[0]);
}

static json_t *json_stages(const struct report *report)
{
    const ssimcu_stage_ms *ms = &report->score.ms;
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f}", "start", report->start_ms, "upload",
                     ms->upload, "permute", ms->planes, "ssim", ms->ssim, "reduce", ms->reduce,
                     "download", ms->download);
}

static json_t *json_report(const struct report *report)
{
    static const char *const background[] = {NULL, "black", "white"};
    const ssimcu_score *score = &report->score;
    json_t *json = json_pack(
        "{s:s, s:f, s:o, s:i, s:i, s:i, s:s?, s:o, s:o, s:o, s:s, s:s, s:o}", "ssimcu",
        ssimcu_version(), "score", score->score, "channels", json_channels(report), "width",
        (int)report->ref.shape.width, "height", (int)report->ref.shape.height, "bits",
        (int)score->bits, "background", background[score->background], "contract",
        json_contract(report), "ref", json_side(&report->ref), "out", json_side(&report->out),
        "backend", report->device, "reason", report->reason, "ms", json_stages(report));
    if (json && report->options->has_min_score) {
        json_object_set_new(json, "min_score", json_real(report->options->min_score));
        json_object_set_new(json, "pass", json_boolean(score->score >= report->options->min_score));
    }
    return json;
}

static bool print_json(const struct report *report)
{
    json_t *json = json_report(report);
    const bool written = json &&
                         json_dumpf(json, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) == 0 &&
                         puts("") >= 0;
    json_decref(json);
    return written;
}

bool report_score(const struct report *report)
{
    const bool written =
        report->options->json ? print_json(report) : printf("%.9f\n", report->score.score) > 0;
    return written && fflush(stdout) == 0;
}

void report_stages(const struct report *report)
{
    const ssimcu_stage_ms *ms = &report->score.ms;
    const ssimcu_settings *settings = &report->options->settings;
    fprintf(stderr, "ssimcu: backend %s: %s\n", report->device, report->reason);
    static const char *const over[] = {"", ", over black", ", over white"};
    fprintf(stderr, "ssimcu: contract: full resolution, window 11x11 sigma 1.5, L %d, %s, %s%s\n",
            report->score.bits == 16 ? 65535 : 255, options_pad_name(settings->pad),
            options_color_name(settings->color), over[report->score.background]);
    fprintf(stderr,
            "ssimcu: ms: decode %.1f and %.1f beside start %.1f; upload %.3f, permute %.3f, "
            "ssim %.3f, reduce %.3f, download %.3f\n",
            report->ref.decode_ms, report->out.decode_ms, report->start_ms, ms->upload, ms->planes,
            ms->ssim, ms->reduce, ms->download);
}

static uint8_t grey_level(const ssimcu_map *map, uint32_t x, uint32_t y)
{
    const size_t plane = (size_t)map->width * map->height, at = (size_t)y * map->width + x;
    float sum = 0;
    for (uint32_t c = 0; c < map->channels; c++) sum += map->data[c * plane + at];
    const float mean = fminf(fmaxf(sum / (float)map->channels, 0.0f), 1.0f);
    return (uint8_t)lrintf(255.0f * mean);
}

/* The window nearest to frame coordinate `at`. */
static uint32_t nearest(uint32_t at, uint32_t border, uint32_t positions)
{
    const uint32_t inner = at < border ? 0 : at - border;
    return inner < positions ? inner : positions - 1;
}

ssimcu_status report_map_picture(const ssimcu_map *map, ssimcu_frame *picture,
                                 ssimcu_message *message)
{
    *picture = (ssimcu_frame){.width = map->width + 2 * map->border,
                              .height = map->height + 2 * map->border,
                              .channels = 1,
                              .bits = 8};
    const ssimcu_status status = ssimcu_frame_alloc(picture, message);
    if (status != SSIMCU_OK) return status;
    for (uint32_t y = 0; y < picture->height; y++) {
        uint8_t *row = (uint8_t *)picture->data + y * picture->pitch;
        for (uint32_t x = 0; x < picture->width; x++)
            row[x] = grey_level(map, nearest(x, map->border, map->width),
                                nearest(y, map->border, map->height));
    }
    return SSIMCU_OK;
}
