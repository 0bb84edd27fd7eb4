/* A frame's samples in memory, in any layout and of any type. One struct describes interleaved
 * pixels, planes of one block and separate planes. This file also converts float samples to plane
 * values; pixel.h converts integers. The CPU and the GPU both include it. */
#pragma once

#include "core/pixel.h"

#include <math.h>

/* The values match the public enum ssimcu_type. */
enum {
    SSIMCU_SAMPLE_U8,
    SSIMCU_SAMPLE_U16,
    SSIMCU_SAMPLE_F16,
    SSIMCU_SAMPLE_F32,
    SSIMCU_SAMPLE_BF16,
    SSIMCU_SAMPLE_F64 /* only for the loss on the CPU; everything else gets floats */
};

struct ssimcu_samples {
    const void *channel[4]; /* the first sample of each channel */
    int64_t pitch_bytes;
    int64_t frame_bytes; /* distance between frames of a batch */
    uint32_t step;       /* samples from one pixel to the next */
    uint32_t planar;     /* nonzero: each channel is a plane; 0: interleaved */
    uint32_t type;
    float scale; /* factor from a float sample to 8-bit units */
};

/* A float sample beyond 65536 times white, here in 8-bit units, counts as not finite. Products of
 * moments must stay well within the range of a float, because a quotient that underflows is a
 * perfect score. */
#define SSIMCU_SAMPLE_LIMIT (65536 * 255.0f)

SSIMCU_HOST_DEVICE int ssimcu_samples_are_float(uint32_t type) { return type >= SSIMCU_SAMPLE_F16; }

SSIMCU_HOST_DEVICE uint32_t ssimcu_sample_bytes(uint32_t type)
{
    return type == SSIMCU_SAMPLE_U8    ? 1
           : type == SSIMCU_SAMPLE_F32 ? 4
           : type == SSIMCU_SAMPLE_F64 ? 8
                                       : 2;
}

/* Returns the value of an IEEE 754 binary16 number. */
SSIMCU_HOST_DEVICE float ssimcu_sample_half(uint16_t half)
{
    const uint32_t magnitude = (half & 0x7fffu) << 13, sign = (uint32_t)(half >> 15) << 31;
    const uint32_t special = (half & 0x7c00u) == 0x7c00u ? 0x7f800000u : 0;
    union {
        uint32_t bits;
        float value;
    } number = {magnitude};
    number.value *= 0x1p112f; /* the biases of the exponents differ by 112; this is exact, also for
                                 subnormals */
    number.bits |= special | sign;
    return number.value;
}

/* Returns the value of a bfloat16 number, which is the upper half of a float. */
SSIMCU_HOST_DEVICE float ssimcu_sample_bfloat(uint16_t half)
{
    union {
        uint32_t bits;
        float value;
    } number = {(uint32_t)half << 16};
    return number.value;
}

/* Returns a float sample in plane units. An invalid sample becomes NaN, which makes the whole score
 * NaN. */
SSIMCU_HOST_DEVICE float ssimcu_sample_unit(float sample, float scale, float unit)
{
    return fabsf(sample * scale) <= SSIMCU_SAMPLE_LIMIT ? sample * unit : NAN;
}

/* Does the work of ssimcu_pixel_convert for float samples as stored. Luma is not rounded. */
SSIMCU_HOST_DEVICE void ssimcu_sample_convert(const struct ssimcu_pixel_rule *rule, float scale,
                                              const float *sample, float *plane)
{
    float value[3], alpha = 1.0f, under = 0.0f;
    if (rule->alpha) {
        alpha = ssimcu_sample_unit(sample[rule->channels - 1], scale, scale) / 255.0f;
        if (rule->background) under = 255.0f * rule->unit / scale * (1.0f - alpha);
    }
    for (uint32_t c = 0; c < 3; c++) {
        const float stored = sample[rule->channels >= 3 ? c : 0];
        value[c] = ssimcu_sample_unit(stored, scale, rule->unit) * alpha + under;
    }
    if (rule->luma[1]) {
        plane[0] = ((float)rule->luma[0] * value[0] + (float)rule->luma[1] * value[1] +
                    (float)rule->luma[2] * value[2]) /
                   10000.0f;
        return;
    }
    for (uint32_t c = 0; c < 3; c++)
        if (c < rule->planes) plane[c] = value[c];
}

/* Does the same in double. A composited sample is rounded once, as in ssimcu_pixel_convert_exactly,
 * so that the same samples as integers give the same result. */
SSIMCU_HOST_DEVICE void ssimcu_sample_convert_exactly(const struct ssimcu_pixel_rule *rule,
                                                      float scale, const float *sample,
                                                      double *plane)
{
    const double white = rule->white;
    double value[3], alpha = 0, under = 0;
    if (rule->alpha) {
        const float stored = sample[rule->channels - 1];
        alpha = (double)ssimcu_sample_unit(stored, scale, rule->unit);
        if (rule->background) under = white * (white - alpha);
    }
    for (uint32_t c = 0; c < 3; c++) {
        const float stored = sample[rule->channels >= 3 ? c : 0];
        value[c] = (double)ssimcu_sample_unit(stored, scale, rule->unit);
        if (rule->alpha) value[c] = (value[c] * alpha + under) / white;
    }
    if (rule->luma[1]) value[0] = ssimcu_pixel_luma(rule, value);
    for (uint32_t c = 0; c < 3; c++)
        if (c < rule->planes) plane[c] = value[c];
}
