#include "report.h"

#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Bytes of the UTF-8 character at `at`; 0 where there is none, or a control character. */
static size_t printable(const unsigned char *at)
{
    static const uint32_t least[] = {[2] = 0xA0 /* below: C1 */, [3] = 0x800, [4] = 0x10000};
    if (at[0] < 0x80) return at[0] >= 0x20 && at[0] != 0x7F;
    if (at[0] < 0xC2 || at[0] > 0xF4) return 0;
    const size_t size = at[0] >= 0xF0 ? 4 : at[0] >= 0xE0 ? 3 : 2;
    uint32_t code = at[0] & (0x7Fu >> size);
    for (size_t i = 1; i < size; i++) {
        if ((at[i] & 0xC0) != 0x80) return 0;
        code = code << 6 | (at[i] & 0x3F);
    }
    const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
    return code >= least[size] && code <= 0x10FFFF && !surrogate ? size : 0;
}

/* A file's name can hold any byte. It must not steer the terminal, nor start a line of its own that
 * a render farm takes for ours. `to` has room for four bytes for each one. */
static void escape(char *to, const char *from)
{
    const unsigned char *at = (const unsigned char *)from;
    while (*at) {
        const size_t size = printable(at);
        if (size > 0) {
            memcpy(to, at, size);
            to += size, at += size;
        } else {
            to += *at == '\n' ? sprintf(to, "\\n") : sprintf(to, "\\x%02X", *at);
            at++;
        }
    }
    *to = '\0';
}

void report_line(const char *format, ...)
{
    char text[1 << 14], line[4 * sizeof text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    escape(line, text);
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

bool report_score(double score) { return report_flush(printf("%.9f\n", score) > 0); }

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

static json_t *json_contract(const struct report *report)
{
    const struct options *options = report->options;
    return contract_choose(contract_to_json(&options->settings, peak_of(report)),
                           &options->input.region, 0);
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
                  "contract", json_contract(report), "ref", json_side(&report->side[0]), "out",
                  json_side(&report->side[1]), "backend", report->device, "reason", report->reason,
                  "ms", json_stages(report));
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
