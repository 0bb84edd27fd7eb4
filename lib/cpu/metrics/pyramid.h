/* A pair's planes of floats at the scales after the first. Each scale has half the size of the
 * previous one: the means of 2 x 2 samples. An odd last row or column is repeated. */
#pragma once

#include "core/divide_up.h"
#include "plan/plan.h"

#include <string.h>

struct ssimcu_threads; /* threads.h */

/* Planes of height x width pixels of `step` floats each, without padding. For bytes there may be
 * words instead: sums, which grow by four per scale and are exact for five scales. They take half
 * the memory and less time to read and write. */
struct ssimcu_pyramid_scale {
    uint32_t width, height, planes, step;
    float *plane[SSIMCU_PAIR][SSIMCU_MAX_CHANNELS];
    uint16_t *words[SSIMCU_PAIR][SSIMCU_MAX_CHANNELS]; /* NULL: floats are used */
};

/* Returns the floats of all scales after one of this size, with so many per pixel and side. */
size_t ssimcu_pyramid_floats(uint32_t width, uint32_t height, uint32_t channels, uint32_t scales);

/* Places scales 1 to `scales` - 1 of a frame in memory. The planes of scale[0] have none. */
void ssimcu_pyramid_place(const struct ssimcu_shape *shape, uint32_t planes, uint32_t step,
                          uint32_t scales, float *memory, struct ssimcu_pyramid_scale *scale);

/* Defines a function that halves two rows of `width` pixels, whose sum is in sum[], to one row. It
 * writes one more pixel of sum[]. Pixels of three numbers are copied by four. */
#define SSIMCU_PYRAMID_HALVE(name, type, half_of)                                                  \
    static inline void name(type *sum, uint32_t width, const uint32_t step, type *to)              \
    {                                                                                              \
        const uint32_t all = width * step, half = ssimcu_half(width);                              \
        for (uint32_t c = 0; c < step; c++) sum[all + c] = sum[all - step + c]; /* if odd */       \
        for (uint32_t i = 0; i < all; i++) sum[i] = (type)(half_of(sum[i] + sum[i + step]));       \
        for (uint32_t i = 0; step == 1 && i < half; i++) to[i] = sum[2 * i];                       \
        if (step == 1) return;                                                                     \
        for (uint32_t i = 0; i + 1 < half; i++)                                                    \
            memcpy(to + (size_t)i * 3, sum + (size_t)i * 6, 4 * sizeof *to);                       \
        memcpy(to + (size_t)(half - 1) * 3, sum + (size_t)(half - 1) * 6, 3 * sizeof *to);         \
    }
SSIMCU_PYRAMID_HALVE(ssimcu_pyramid_halve_floats, float, 0.25f *)
SSIMCU_PYRAMID_HALVE(ssimcu_pyramid_halve_words, uint16_t, )

/* Changes the placed scales to words in the same memory. */
void ssimcu_pyramid_use_words(uint32_t scales, struct ssimcu_pyramid_scale *scale);

/* Fills in a scale from the previous one. */
void ssimcu_pyramid_halve(const struct ssimcu_pyramid_scale *from, struct ssimcu_pyramid_scale *to,
                          struct ssimcu_threads *threads);
