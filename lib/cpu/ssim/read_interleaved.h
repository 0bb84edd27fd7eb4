/* Converts interleaved pixels of part of a row to floats in plane units, still interleaved, one per
 * plane. The result equals that of ssimcu_pixel_convert bit for bit, in loops that a compiler can
 * vectorise. It is a header because each instruction set compiles it.
 *
 *   pick    separates the samples from alpha and spreads grey over three planes.
 *   luma    works in 32 bits: 10000 * 65535 fits. The quotient is in double.
 *   blend   composites at 8 bits, if the unit has a factor of 255, which makes whole numbers of
 *           the quotients (lib/plan/units.c).
 *
 * Compositing at 16 bits or before luma goes pixel by pixel through the rule itself. */
#pragma once

#include "core/pixel.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { PIXELS_PIECE = 128 }; /* pixels per step, so that intermediate values fit in the cache */

#define INLINE static inline __attribute__((always_inline))

INLINE uint32_t sample_at(const void *row, const uint32_t bits, size_t i)
{
    return bits == 8 ? ((const uint8_t *)row)[i] : ((const uint16_t *)row)[i];
}

INLINE const void *pixel_at(const void *row, const uint32_t bits, const uint32_t channels, size_t x)
{
    return (const char *)row + x * channels * (bits > 8 ? 2 : 1);
}

INLINE void pick(const void *row, uint32_t count, float *to, const uint32_t bits,
                 const uint32_t channels, const uint32_t planes)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < planes; c++)
            to[i * planes + c] =
                (float)(int32_t)sample_at(row, bits, i * channels + (channels >= 3 ? c : 0));
}

/* Drops the alpha of RGBA: stores four floats at a time, and overwrites the fourth. */
INLINE void drop_alpha(const void *row, uint32_t count, float *to, const uint32_t bits)
{
    float all[PIXELS_PIECE * 4];
    for (uint32_t done = 0; done < count; done += PIXELS_PIECE) {
        const uint32_t n = count - done < PIXELS_PIECE ? count - done : PIXELS_PIECE;
        pick(pixel_at(row, bits, 4, done), n * 4, all, bits, 1, 1);
        for (uint32_t i = 0; i + 1 < n; i++)
            memcpy(to + (done + i) * 3, all + i * 4, 4 * sizeof *to);
        memcpy(to + (done + n - 1) * 3, all + (n - 1) * 4, 3 * sizeof *to);
    }
}

INLINE void pick_any(const void *row, uint32_t count, float *to, const uint32_t bits,
                     uint32_t channels, uint32_t planes)
{
    switch (channels * 4 + planes) {
    case 1 * 4 + 1: pick(row, count, to, bits, 1, 1); break;
    case 1 * 4 + 3: pick(row, count, to, bits, 1, 3); break;
    case 2 * 4 + 1: pick(row, count, to, bits, 2, 1); break;
    case 2 * 4 + 3: pick(row, count, to, bits, 2, 3); break;
    case 3 * 4 + 3: pick(row, count * 3, to, bits, 1, 1); break;
    case 4 * 4 + 3: drop_alpha(row, count, to, bits); break;
    }
}

/* Computes luma. Every sample is weighted with its two neighbours as if it were red, because
 * contiguous loops are fast. Only one in three or four is red. (n + 0.5) / 10000 keeps its distance
 * from an integer. For every sum that can occur, it gives (n + 5000) / 10000 in integers. */
INLINE void luma(const struct ssimcu_pixel_rule *rule, const void *row, uint32_t count, float *to,
                 const uint32_t bits, const uint32_t channels)
{
    const int32_t r = (int32_t)(rule->luma[0] * rule->widen),
                  g = (int32_t)(rule->luma[1] * rule->widen),
                  b = (int32_t)(rule->luma[2] * rule->widen);
    const double whole = 1u << rule->low_bits, half = 5000 * whole + 0.5, part = 1e-4 / whole;
    const int small = rule->peak == 255; /* a float holds these sums and their half exactly */
    int32_t sample[PIXELS_PIECE * 4 + 2] = {0};
    float value[PIXELS_PIECE * 4];
    for (uint32_t done = 0; done < count; done += PIXELS_PIECE) {
        const uint32_t n = count - done < PIXELS_PIECE ? count - done : PIXELS_PIECE;
        const void *from = pixel_at(row, bits, channels, done);
        for (uint32_t i = 0; i < n * channels; i++) sample[i] = (int32_t)sample_at(from, bits, i);
        for (uint32_t i = 0; i < n * channels; i++) {
            const int32_t sum = r * sample[i] + g * sample[i + 1] + b * sample[i + 2];
            value[i] = small ? (float)(int32_t)(((float)sum + 5000.5f) * 1e-4f)
                             : (float)(int32_t)(((double)sum + half) * part);
        }
        for (uint32_t i = 0; i < n; i++) to[done + i] = value[i * channels];
    }
}

INLINE void luma_any(const struct ssimcu_pixel_rule *rule, const void *row, uint32_t count,
                     float *to)
{
    if (rule->bits == 8 && rule->channels == 3) luma(rule, row, count, to, 8, 3);
    if (rule->bits == 8 && rule->channels == 4) luma(rule, row, count, to, 8, 4);
    if (rule->bits > 8 && rule->channels == 3) luma(rule, row, count, to, 16, 3);
    if (rule->bits > 8 && rule->channels == 4) luma(rule, row, count, to, 16, 4);
}

INLINE void blend(const struct ssimcu_pixel_rule *rule, const uint8_t *row, uint32_t count,
                  float *to, const uint32_t channels, const uint32_t planes)
{
    const uint32_t background = rule->background;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t alpha = row[i * channels + channels - 1];
        for (uint32_t c = 0; c < planes; c++) {
            const uint32_t sample = row[i * channels + (channels >= 3 ? c : 0)];
            const uint32_t value = sample * alpha + background * (255 - alpha);
            to[i * planes + c] = (float)(int32_t)value * rule->unit / 255.0f;
        }
    }
}

/* Stores a number as two floats. */
INLINE void split_sample(double value, float *to, float *low)
{
    *to = (float)value;
    *low = (float)(value - (double)*to);
}

/* Converts pixel by pixel, under any rule. */
static inline void convert_any(const struct ssimcu_pixel_rule *rule, const void *row,
                               uint32_t count, float *to, float *low)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t sample[4] = {0};
        double value[3] = {0};
        for (uint32_t c = 0; c < rule->channels; c++)
            sample[c] = sample_at(row, rule->bits, (size_t)i * rule->channels + c);
        ssimcu_pixel_convert_exactly(rule, sample, value);
        for (uint32_t c = 0; c < rule->planes; c++)
            split_sample(value[c], &to[i * rule->planes + c], &low[i * rule->planes + c]);
    }
}

/* Converts `count` pixels; `row` is the first pixel's first sample. It is not inlined, because it
 * would use up its callers' registers. */
__attribute__((noinline)) static void read_interleaved(const struct ssimcu_pixel_rule *rule,
                                                       const void *row, uint32_t count, float *to,
                                                       float *low)
{
    const int has_luma = rule->luma[1] != 0;
    if (rule->alpha) {
        const int simple =
            rule->bits == 8 && rule->peak == 255 && !has_luma && fmodf(rule->unit * 256, 255) == 0;
        if (simple && rule->channels == 4)
            blend(rule, row, count, to, 4, 3);
        else if (simple && rule->planes == 3)
            blend(rule, row, count, to, 2, 3);
        else
            convert_any(rule, row, count, to, low);
        return;
    }
    if (has_luma)
        luma_any(rule, row, count, to);
    else if (rule->bits == 8)
        pick_any(row, count, to, 8, rule->channels, rule->planes);
    else
        pick_any(row, count, to, 16, rule->channels, rule->planes);
    const float factor =
        rule->unit * (float)(has_luma ? 1u << rule->low_bits : rule->widen); /* luma has widened */
    if (factor != 1.0f)
        for (uint32_t i = 0; i < count * rule->planes; i++) to[i] *= factor;
}
