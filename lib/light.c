#include "light.h"

#include "cpu/threads.h"

#include <string.h>

/* ---- Bounds ---------------------------------------------------------------------------------- */

static float value_of(uint32_t type, uint32_t magnitude)
{
    float value;
    if (type == SSIMCU_SAMPLE_F16) return ssimcu_sample_half((uint16_t)magnitude);
    if (type == SSIMCU_SAMPLE_BF16) magnitude <<= 16;
    memcpy(&value, &magnitude, sizeof value);
    return value;
}

/* Where the curve ends, as its own arithmetic has it. */
static int is_shown(const struct ssimcu_light_rule *light, float v)
{
    switch (light->transfer) {
    case SSIMCU_LIGHT_SRGB: return v <= 1.0f;
    case SSIMCU_LIGHT_PU21: return v * light->nits <= 10000.0f;
    case SSIMCU_LIGHT_HABLE: return v * 1.758141f <= 11.2f;
    default: return 1;
    }
}

static int is_finite(const struct ssimcu_light_rule *light, float sample)
{
    if (light->transfer != SSIMCU_LIGHT_NONE) return fabsf(sample) <= FLT_MAX;
    return fabsf(sample * light->gain * 255.0f) <= SSIMCU_SAMPLE_LIMIT;
}

/* The largest magnitude up to the largest number of which `finite` or else is_shown holds. */
static uint32_t find_bound(const struct ssimcu_light_rule *light, uint32_t type, int finite)
{
    const uint32_t infinity = type == SSIMCU_SAMPLE_F16    ? 0x7c00
                              : type == SSIMCU_SAMPLE_BF16 ? 0x7f80
                                                           : 0x7f800000;
    uint32_t low = 0, high = infinity;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        const float sample = value_of(type, middle);
        if (finite ? is_finite(light, sample) : is_shown(light, sample * light->gain))
            low = middle;
        else
            high = middle;
    }
    return low;
}

struct ssimcu_light_bounds ssimcu_light_bounds(const struct ssimcu_light_rule *light, uint32_t type)
{
    if (!ssimcu_samples_are_float(type)) return (struct ssimcu_light_bounds){0, 0, 0};
    return (struct ssimcu_light_bounds){
        .top = find_bound(light, type, 0),
        .bottom = light->transfer == SSIMCU_LIGHT_NONE ? UINT32_MAX : 0,
        .finite = find_bound(light, type, 1),
    };
}

/* ---- Counting -------------------------------------------------------------------------------- */

enum { PIECE = 512, ROWS = 32, TASKS = 512 }; /* pixels at a time; rows of a task, or more */

struct scan {
    const struct ssimcu_samples *samples;
    const struct ssimcu_pixel_rule *rule;
    struct ssimcu_light_bounds bounds;
    uint32_t width, height, rows;
    struct ssimcu_light_counts counts[TASKS];
};

/* Judges n samples that lie together; 0 when there is nothing to say of them. */
static unsigned judge(const struct scan *scan, const void *from, uint32_t n, uint8_t *flag)
{
    const struct ssimcu_light_bounds bounds = scan->bounds;
    const uint32_t top = bounds.top, bottom = bounds.bottom, finite = bounds.finite;
    unsigned any = 0;
    if (ssimcu_sample_bytes(scan->samples->type) == sizeof(uint16_t)) {
        const uint16_t *half = from, high = (uint16_t)top, last = (uint16_t)finite,
                       low = (uint16_t)(bottom < 0x7fff ? bottom : 0x7fff);
        uint16_t found = 0;
        for (uint32_t i = 0; i < n; i++) {
            const uint16_t magnitude = half[i] & 0x7fff;
            const uint16_t most = half[i] > 0x7fff ? low : high;
            const uint16_t own = magnitude > last   ? SSIMCU_LIGHT_NOT_FINITE
                                 : magnitude > most ? SSIMCU_LIGHT_CLAMPED
                                                    : 0;
            flag[i] = (uint8_t)own;
            found |= own;
        }
        return found;
    }
    const uint32_t *word = from;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t own = ssimcu_light_judge(&bounds, word[i] & 0x7fffffff, word[i] >> 31);
        flag[i] = (uint8_t)own;
        any |= own;
    }
    return any;
}

/* Adds what the flags of n pixels from (x, y) on say; those of a pixel lie `pixel` apart from the
 * next's, those of a channel `channel`. */
static void add_up(const struct scan *scan, const uint8_t *flag, uint32_t pixel, uint32_t channel,
                   uint32_t x, uint32_t y, uint32_t n, struct ssimcu_light_counts *counts)
{
    const uint32_t channels = scan->rule->channels, colors = channels >= 3 ? 3 : 1;
    for (uint32_t i = 0; i < n; i++) {
        unsigned all = 0, bad = 0;
        for (uint32_t c = 0; c < channels; c++) {
            const unsigned own = flag[i * pixel + c * channel];
            if (c < colors) all |= own;
            if (c < colors || scan->rule->alpha) bad += own == SSIMCU_LIGHT_NOT_FINITE;
        }
        counts->clamped += all & SSIMCU_LIGHT_CLAMPED;
        if (bad > 0 && counts->first == 0) counts->first = ~((uint64_t)y * scan->width + x + i);
        counts->not_finite += bad;
    }
}

/* The same of n samples that lie `apart` bytes from each other. */
static unsigned judge_apart(const struct scan *scan, const char *from, size_t apart, uint32_t n,
                            uint8_t *flag)
{
    unsigned any = 0;
    for (uint32_t i = 0; i < n; i++) any |= judge(scan, from + i * apart, 1, flag + i);
    return any;
}

static void scan_row(const struct scan *scan, uint32_t y, struct ssimcu_light_counts *counts)
{
    const struct ssimcu_samples *samples = scan->samples;
    const uint32_t step = samples->step, channels = scan->rule->channels;
    const size_t pixel = (size_t)step * ssimcu_sample_bytes(samples->type);
    const int together = step > 1 && !samples->planar && step == channels; /* whole pixels */
    const uint32_t runs = together ? 1 : channels;
    uint8_t flag[4 * PIECE];
    for (uint32_t x = 0; x < scan->width; x += PIECE) {
        const uint32_t left = scan->width - x, n = left < PIECE ? left : PIECE;
        unsigned any = 0;
        for (uint32_t run = 0; run < runs; run++) {
            const char *row = (const char *)samples->channel[run] + y * samples->pitch_bytes;
            if (together || step == 1)
                any |= judge(scan, row + x * pixel, n * step, flag + run * PIECE);
            else
                any |= judge_apart(scan, row + x * pixel, pixel, n, flag + run * PIECE);
        }
        if (any && together)
            add_up(scan, flag, step, 1, x, y, n, counts);
        else if (any)
            add_up(scan, flag, 1, PIECE, x, y, n, counts);
    }
}

static void scan_rows(void *arg, size_t task)
{
    struct scan *scan = arg;
    const uint64_t first = (uint64_t)task * scan->rows, end = first + scan->rows;
    for (uint64_t y = first; y < end && y < scan->height; y++)
        scan_row(scan, (uint32_t)y, &scan->counts[task]);
}

struct ssimcu_light_counts ssimcu_light_scan(const struct ssimcu_samples *samples,
                                             const struct ssimcu_pixel_rule *rule,
                                             const struct ssimcu_light_bounds *bounds,
                                             uint32_t width, uint32_t height,
                                             struct ssimcu_threads *threads)
{
    const uint32_t even = (height + TASKS - 1) / TASKS;
    struct scan scan = {.samples = samples,
                        .rule = rule,
                        .bounds = *bounds,
                        .width = width,
                        .height = height,
                        .rows = even > ROWS ? even : ROWS};
    const uint32_t tasks = (height + scan.rows - 1) / scan.rows;
    struct ssimcu_light_counts all = {0, 0, 0};
    ssimcu_threads_run(threads, tasks, scan_rows, &scan);
    for (uint32_t i = 0; i < tasks; i++) {
        const struct ssimcu_light_counts *own = &scan.counts[i];
        if (own->first > all.first) all.first = own->first;
        all.clamped += own->clamped;
        all.not_finite += own->not_finite;
    }
    return all;
}
