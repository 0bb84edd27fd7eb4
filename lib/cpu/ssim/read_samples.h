/* Converts samples of any type and layout to interleaved floats in plane units, one per plane.
 * read_interleaved.h does that for the usual pictures, this file for all others. It is a header
 * because each instruction set compiles it. Also, a call into another file, which might write to
 * any tile, costs the usual pictures a tenth of their time. */
#pragma once

#include "read_light.h"

enum { SAMPLES_PIECE = 64 }; /* pixels per step */

/* Fetches one channel of a piece: integers unchanged, floats times `unit`. Steps of 1 to 3 are
 * constants, so that the loops are vectorised. */
INLINE void samples_fetch_step(const struct ssimcu_samples *samples, float unit, const void *from,
                               const size_t step, uint32_t count, float *to)
{
    const uint8_t *bytes = from;
    const uint16_t *words = from;
    const float *floats = from;
    const float scale = samples->scale;
    switch (samples->type) {
    case SSIMCU_SAMPLE_U8:
        for (uint32_t i = 0; i < count; i++) to[i] = (float)(int32_t)bytes[i * step];
        break;
    case SSIMCU_SAMPLE_U16:
        for (uint32_t i = 0; i < count; i++) to[i] = (float)(int32_t)words[i * step];
        break;
    case SSIMCU_SAMPLE_F16:
        for (uint32_t i = 0; i < count; i++)
            to[i] = ssimcu_sample_unit(ssimcu_sample_half(words[i * step]), scale, unit);
        break;
    case SSIMCU_SAMPLE_BF16:
        for (uint32_t i = 0; i < count; i++)
            to[i] = ssimcu_sample_unit(ssimcu_sample_bfloat(words[i * step]), scale, unit);
        break;
    default:
        for (uint32_t i = 0; i < count; i++)
            to[i] = ssimcu_sample_unit(floats[i * step], scale, unit);
    }
}

INLINE void samples_fetch(const struct ssimcu_samples *samples, float unit, uint32_t channel,
                          uint32_t x, uint32_t y, uint32_t count, float *to)
{
    const size_t start = (size_t)x * samples->step * ssimcu_sample_bytes(samples->type);
    const char *from = (const char *)samples->channel[channel] + y * samples->pitch_bytes + start;
    __builtin_prefetch((const void *)((uintptr_t)from + 4 * (uintptr_t)samples->pitch_bytes));
    if (samples->step == 1)
        samples_fetch_step(samples, unit, from, 1, count, to);
    else if (samples->step == 2) /* chroma of NV12 and P010 */
        samples_fetch_step(samples, unit, from, 2, count, to);
    else if (samples->step == 3)
        samples_fetch_step(samples, unit, from, 3, count, to);
    else
        samples_fetch_step(samples, unit, from, samples->step, count, to);
}

/* Converts a piece of stored samples. */
static inline void samples_convert(const struct ssimcu_samples *samples,
                                   const struct ssimcu_pixel_rule *rule,
                                   float value[4][SAMPLES_PIECE], uint32_t count, float *to,
                                   float *low)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t whole[4] = {0};
        float sample[4] = {0};
        double plane[3] = {0};
        for (uint32_t c = 0; c < rule->channels; c++) sample[c] = value[c][i];
        if (ssimcu_samples_are_float(samples->type) || rule->as_floats) {
            ssimcu_sample_convert_exactly(rule, samples->scale, sample, plane);
        } else {
            for (uint32_t c = 0; c < rule->channels; c++) whole[c] = (uint32_t)sample[c];
            ssimcu_pixel_convert_exactly(rule, whole, plane);
        }
        for (uint32_t c = 0; c < rule->planes; c++)
            split_sample(plane[c], &to[i * rule->planes + c], &low[i * rule->planes + c]);
    }
}

/* Converts a piece if every plane is one channel. */
INLINE void samples_spread(const struct ssimcu_samples *samples,
                           const struct ssimcu_pixel_rule *rule, float value[4][SAMPLES_PIECE],
                           uint32_t count, float *to, const uint32_t planes)
{
    const float factor = rule->unit * (float)rule->widen;
    if (!ssimcu_samples_are_float(samples->type) && factor != 1.0f)
        for (uint32_t c = 0; c < planes && c < rule->channels; c++)
            for (uint32_t i = 0; i < SAMPLES_PIECE; i++) value[c][i] *= factor;
    const float *second = value[rule->channels >= 3 ? 1 : 0],
                *third = value[rule->channels >= 3 ? 2 : 0];
    for (uint32_t i = 0; i < count; i++) {
        to[i * planes] = value[0][i];
        if (planes == 3) to[i * planes + 1] = second[i], to[i * planes + 2] = third[i];
    }
}

/* Computes luma of floats in plane units. */
INLINE void samples_luma(const struct ssimcu_pixel_rule *rule, float value[4][SAMPLES_PIECE],
                         uint32_t count, float *to, float *low)
{
    const double r = rule->luma[0] * 1e-4, g = rule->luma[1] * 1e-4, b = rule->luma[2] * 1e-4;
    for (uint32_t i = 0; i < count; i++) {
        const double sum =
            r * (double)value[0][i] + g * (double)value[1][i] + b * (double)value[2][i];
        split_sample(sum, &to[i], &low[i]);
    }
}

/* Converts `count` pixels of row y, from x on. */
__attribute__((noinline)) static void read_samples(const struct ssimcu_samples *samples,
                                                   const struct ssimcu_pixel_rule *rule, uint32_t x,
                                                   uint32_t y, uint32_t count, float *to,
                                                   float *low)
{
    const int plain = !rule->alpha && !rule->luma[1],
              has_luma = !rule->alpha && !plain && ssimcu_samples_are_float(samples->type);
    const float unit = plain || has_luma ? rule->unit : 1;
    float value[4][SAMPLES_PIECE] = {{0}};
    for (uint32_t done = 0; done < count; done += SAMPLES_PIECE) {
        const uint32_t n = count - done < SAMPLES_PIECE ? count - done : SAMPLES_PIECE;
        for (uint32_t c = 0; c < rule->channels; c++)
            if (!plain || c < rule->planes)
                samples_fetch(samples, unit, c, x + done, y, n, value[c]);
        if (plain)
            rule->planes == 3 ? samples_spread(samples, rule, value, n, to + (size_t)done * 3, 3)
                              : samples_spread(samples, rule, value, n, to + done, 1);
        else if (has_luma)
            samples_luma(rule, value, n, to + done, low + done);
        else
            samples_convert(samples, rule, value, n, to + (size_t)done * rule->planes,
                            low + (size_t)done * rule->planes);
    }
}
