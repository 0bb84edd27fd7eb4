#include "report.h"

#include "results/text.h"

#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void report_line(const char *format, ...)
{
    char text[1 << 14], line[4 * sizeof text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    text_escape(line, text);
    fprintf(stderr, "ssimcu: %s\n", line); /* one write: lines of several programs do not mix */
}

enum exit_code exit_code_of(ssimcu_status status)
{
    switch (status) {
    case SSIMCU_OK: return EXIT_SCORED;
    case SSIMCU_ERROR_MISMATCH: return EXIT_MISMATCH;
    case SSIMCU_ERROR_TOO_SMALL:
    case SSIMCU_ERROR_UNSUPPORTED:
    case SSIMCU_ERROR_LIMIT:
    case SSIMCU_ERROR_FILE:
    case SSIMCU_ERROR_DATA: return EXIT_INPUT;
    case SSIMCU_ERROR_DEVICE: return EXIT_DEVICE;
    case SSIMCU_ERROR_WRITE: return EXIT_OUTPUT;
    default: return EXIT_INTERNAL;
    }
}

void report_remark(void *user, const char *line)
{
    (void)user;
    report_line("%s", line);
}

bool report_flush(bool written)
{
    if (written && fflush(stdout) == 0 && !ferror(stdout)) return true;
    perror("ssimcu: standard output");
    return false;
}

void report_version(void)
{
    printf("ssimcu %s (%s; %s)\n", ssimcu_version(), ssimcu_build(), ssimcu_image_libraries());
}

void report_device(const char *device, const ssimcu_device_info *info)
{
    printf("%-7s %s", device, info->name);
    if (info->compute > 0)
        printf(", compute capability %u.%u, %llu MiB", info->compute / 10, info->compute % 10,
               (unsigned long long)(info->memory_bytes >> 20));
    puts("");
}

const char *report_digits(double score, char text[REPORT_DIGITS_BYTES])
{
    snprintf(text, REPORT_DIGITS_BYTES, "%.9f", score);
    if (score != 1 && strcmp(text, "1.000000000") == 0) strcpy(text, "0.999999999");
    return text;
}

bool report_score(double score)
{
    char digits[REPORT_DIGITS_BYTES];
    return report_flush(puts(report_digits(score, digits)) >= 0);
}

static json_t *json_side(const struct report_side *side)
{
    return json_pack("{s:o, s:s, s:i, s:i, s:f}", "path", path_to_json(side->path), "format",
                     side->format, "channels", (int)side->frame.channels, "bits",
                     (int)side->frame.bits, "decode_ms", side->decode_ms);
}

/* The L of the formula. */
static int peak_of(const struct report *report) { return report->score.bits == 16 ? 65535 : 255; }

static json_t *json_stages(const struct report *report)
{
    const ssimcu_stage_ms *ms = &report->score.ms;
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f}", "start", report->start_ms, "upload",
                     ms->upload, "planes", ms->planes, "ssim", ms->ssim, "reduce", ms->reduce,
                     "download", ms->download);
}

static json_t *json_report(const struct report *report)
{
    const ssimcu_score *score = &report->score;
    const char *layout = contract_layout(&report->side[0].frame, &report->side[1].frame, 1, score);
    json_t *json =
        json_pack("{s:s, s:f, s:o, s:i, s:i, s:i, s:s?, s:o, s:o, s:o, s:s, s:s, s:o}", "ssimcu",
                  ssimcu_version(), "score", score->score, "channels",
                  channels_to_json(layout, score->channels, score->channel), "width",
                  (int)report->side[0].frame.width, "height", (int)report->side[0].frame.height,
                  "bits", (int)score->bits, "background", contract_backgrounds[score->background],
                  "contract", contract_to_json(&report->options->settings, peak_of(report)), "ref",
                  json_side(&report->side[0]), "out", json_side(&report->side[1]), "backend",
                  report->device, "reason", report->reason, "ms", json_stages(report));
    if (json && isfinite(report->options->min_score)) {
        json_object_set_new(json, "min_score", json_real(report->options->min_score));
        json_object_set_new(json, "pass", json_boolean(score->score >= report->options->min_score));
    }
    return json;
}

bool report_json(const struct report *report)
{
    json_t *json = json_report(report);
    const bool written = json &&
                         json_dumpf(json, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) == 0 &&
                         puts("") >= 0;
    json_decref(json);
    return report_flush(written);
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
    report_line("ms: decode %.1f and %.1f beside start %.1f; upload %.3f, planes %.3f, ssim %.3f, "
                "reduce %.3f, download %.3f",
                report->side[0].decode_ms, report->side[1].decode_ms, report->start_ms, ms->upload,
                ms->planes, ms->ssim, ms->reduce, ms->download);
}
