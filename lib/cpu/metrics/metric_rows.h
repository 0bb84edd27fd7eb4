/* Computes on samples for other metrics: a pair's squared errors (PSNR), and the first halving
 * (MS-SSIM). It is the only source for all instruction sets (ssim_level.h). */
#pragma once

#include "cpu/ssim/ssim_rows.h"
#include "pyramid.h"

enum { PIXELS_READ = 256 }; /* pixels of a row per step, an even number */
enum { READ_FLOATS = PIXELS_READ * SSIMCU_MAX_CHANNELS + LANES };

/* Reads pixels in plane units, interleaved. Drops digits beyond float. */
static void read_floats(const struct ssimcu_ssim_cpu_task *task, int slot, uint32_t x, uint32_t y,
                        uint32_t count, float *to)
{
    float low[READ_FLOATS];
    if (is_wide(task, slot) || task->fixed) memset(low, 0, sizeof low);
    read_pixels(task, slot, x, y, count, to, low);
    for (uint32_t i = 0; task->fixed && i < count * task->shape->planes; i++) {
        int32_t fixed;
        memcpy(&fixed, &to[i], sizeof fixed);
        to[i] = (float)fixed * (1 / SSIMCU_FIXED_ONE);
    }
}

/* Adds the squares of d to one sum per column. In double, squares of 16 bits are exact. */
INLINE void add_squares(const float *d, double *sum)
{
    for (uint32_t i = 0; i < RAW_COLUMNS; i += LANES / 2) {
        const dvec value = dvec_from(d + i);
        dvec_store(sum + i, dvec_fma(value, value, dvec_load(sum + i)));
    }
}

/* Returns whether the planes of both sides are the bytes themselves. */
static int are_bytes(const struct ssimcu_ssim_cpu_task *task)
{
    int bytes = !task->floats && !task->fixed;
    for (int slot = 0; slot < SSIMCU_PAIR; slot++)
        bytes =
            bytes && !task->halves[slot] && task->rule[slot]->bits == 8 && is_direct(task, slot);
    return bytes;
}

/* Adds the squares of bytes to one sum per column, for BYTES columns: pixels of one or three
 * channels. MOST_BYTES bytes do not overflow them. */
enum { BYTES = 48, MOST_BYTES = 65536 * BYTES };

static void add_bytes(const uint8_t *a, const uint8_t *b, size_t count, uint32_t sum[BYTES])
{
    for (size_t i = 0; i + BYTES <= count; i += BYTES)
        for (size_t k = 0; k < BYTES; k++) {
            const int16_t d = (int16_t)(a[i + k] - b[i + k]);
            sum[k] += (uint16_t)(d * d);
        }
    for (size_t i = count - count % BYTES; i < count; i++)
        sum[i % BYTES] += (uint32_t)((a[i] - b[i]) * (a[i] - b[i]));
}

/* Like ssim_squares, with integer sums that are as exact. */
static void squares_of_bytes(const struct ssimcu_ssim_cpu_task *task, uint32_t y, uint32_t rows,
                             double *sums)
{
    const uint32_t step = task->shape->planes, height = task->shape->height;
    const size_t all = (size_t)task->shape->width * step;
    for (uint32_t row = y; row < y + rows; row++)
        for (size_t at = 0; at < all; at += MOST_BYTES) {
            const size_t count = all - at < MOST_BYTES ? all - at : MOST_BYTES;
            const uint32_t x = (uint32_t)(at / step);
            uint32_t sum[BYTES] = {0};
            add_bytes(find_row(task->samples[SSIMCU_REF], x, row, 1, height),
                      find_row(task->samples[SSIMCU_OUT], x, row, 1, height), count, sum);
            for (uint32_t k = 0; k < BYTES; k++) sums[k % step] += sum[k];
        }
}

/* Returns the factor from stored samples to plane units. */
static double unit_of(const struct ssimcu_pixel_rule *rule) { return rule->white * rule->opaque; }

/* Returns whether samples, of different whites and without a curve, are rounded to plane units. */
static int are_rounded(const struct ssimcu_ssim_cpu_task *task)
{
    int plain = 1, rounded = 0;
    for (int slot = 0; slot < SSIMCU_PAIR; slot++) {
        const struct ssimcu_pixel_rule *rule = task->rule[slot];
        const double unit = (double)rule->unit * rule->widen, exact = unit_of(rule);
        plain = plain && !rule->alpha && !rule->luma[1] &&
                (!rule->light.on || ssimcu_light_is_plain(rule));
        rounded = rounded || fabs(unit - exact) > exact * 1e-12;
    }
    return plain && rounded;
}

/* Adds the squares of differences of stored samples if they are not 0 in plane units. */
static void add_exactly(const struct ssimcu_ssim_cpu_task *task, uint32_t x, uint32_t y,
                        uint32_t count, const float *d, double *sum)
{
    const uint32_t step = task->shape->planes;
    float value[SSIMCU_PAIR][RAW_COLUMNS];
    for (uint32_t c = 0; c < step; c++) {
        for (int slot = 0; slot < SSIMCU_PAIR; slot++)
            samples_fetch(task->samples[slot], 1, task->rule[slot]->channels >= 3 ? c : 0, x, y,
                          count, value[slot]);
        for (uint32_t i = 0; i < count; i++) {
            double exact[SSIMCU_PAIR];
            for (int slot = 0; slot < SSIMCU_PAIR; slot++) {
                const struct ssimcu_pixel_rule *rule = task->rule[slot];
                exact[slot] = (double)ssimcu_light_finite(rule->light.on && rule->light.nan_zero,
                                                          value[slot][i]) *
                              unit_of(rule);
            }
            const double difference = exact[SSIMCU_REF] - exact[SSIMCU_OUT];
            if (d[i * step + c] != 0) sum[i * step + c] += difference * difference;
        }
    }
}

static void ssim_squares(const struct ssimcu_ssim_cpu_task *task, uint32_t y, uint32_t rows,
                         double *sums)
{
    if (are_bytes(task)) {
        squares_of_bytes(task, y, rows, sums);
        return;
    }
    const uint32_t width = task->shape->width, step = task->shape->planes,
                   piece = RAW_COLUMNS / step;
    const int direct = is_direct(task, SSIMCU_REF) && is_direct(task, SSIMCU_OUT),
              rounded = are_rounded(task);
    alignas(64) float s[RAW_COLUMNS], d[RAW_COLUMNS];
    uint8_t clamped[SSIMCU_PAIR];
    for (uint32_t x = 0; x < width; x += piece) {
        alignas(64) double sum[RAW_COLUMNS] = {0};
        const uint32_t count = width - x < piece ? width - x : piece;
        memset(s, 0, sizeof s);
        memset(d, 0, sizeof d);
        for (uint32_t row = y; row < y + rows; row++) {
            if (direct && (width - x) * step >= RAW_COLUMNS)
                read_direct(task, x, row, s, d, clamped);
            else
                read_indirect(task, x, row, count, 0, s, d, clamped);
            if (rounded)
                add_exactly(task, x, row, count, d, sum);
            else
                add_squares(d, sum);
        }
        for (uint32_t i = 0; i < count * step; i++) sums[i % step] += sum[i];
    }
}

/* Halves a row of bytes to words that are sums. */
static void halve_bytes(const struct ssimcu_ssim_cpu_task *task, int slot, uint32_t y,
                        uint32_t below, uint16_t *to)
{
    const struct ssimcu_samples *samples = task->samples[slot];
    const uint32_t width = task->shape->width, height = task->shape->height,
                   planes = task->shape->planes;
    uint16_t sum[(PIXELS_READ + 1) * SSIMCU_MAX_CHANNELS];
    for (uint32_t x = 0; x < width; x += PIXELS_READ) {
        const uint32_t count = width - x < PIXELS_READ ? width - x : PIXELS_READ,
                       all = count * planes;
        const uint8_t *top = find_row(samples, x, y, all, height),
                      *bottom = find_row(samples, x, below, all, height);
        for (uint32_t i = 0; i < all; i++) sum[i] = (uint16_t)(top[i] + bottom[i]);
        planes == 3 ? ssimcu_pyramid_halve_words(sum, count, 3, to + (size_t)x / 2 * 3)
                    : ssimcu_pyramid_halve_words(sum, count, 1, to + x / 2);
    }
}

static void halve_floats(const struct ssimcu_ssim_cpu_task *task, int slot, uint32_t y,
                         uint32_t below, float *to)
{
    const uint32_t width = task->shape->width, planes = task->shape->planes;
    float top[READ_FLOATS], bottom[READ_FLOATS];
    for (uint32_t x = 0; x < width; x += PIXELS_READ) {
        const uint32_t count = width - x < PIXELS_READ ? width - x : PIXELS_READ;
        read_floats(task, slot, x, y, count, top);
        read_floats(task, slot, x, below, count, bottom);
        for (uint32_t i = 0; i < count * planes; i++) top[i] += bottom[i];
        planes == 3 ? ssimcu_pyramid_halve_floats(top, count, 3, to + (size_t)x / 2 * 3)
                    : ssimcu_pyramid_halve_floats(top, count, 1, to + x / 2);
    }
}

static void ssim_halve(const struct ssimcu_ssim_cpu_task *task, int slot, uint32_t y,
                       const struct ssimcu_pyramid_scale *half, uint32_t plane)
{
    const uint32_t below = 2 * y + 1 < task->shape->height ? 2 * y + 1 : 2 * y;
    const size_t at = (size_t)y * half->width * half->step;
    if (half->words[slot][plane])
        halve_bytes(task, slot, 2 * y, below, half->words[slot][plane] + at);
    else
        halve_floats(task, slot, 2 * y, below, half->plane[slot][plane] + at);
}
