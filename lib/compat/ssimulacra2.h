/* Parts of the program ssimulacra2: its colours and its blur. Both work in float, with the
 * program's operations in the same order. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Returns a * b + c, rounded once. The product is exact in double. Rounding the sum to double first
 * changed none of 2 10^9 random results, and runs on every CPU. */
static inline float ssimcu_compat_multiply_add(float a, float b, float c)
{
    return (float)((double)a * b + c);
}

/* Returns the linear light of an sRGB sample whose white is 1. */
float ssimcu_compat_linear(float encoded);

/* Converts a row of linear light to X, Y and B - Y, scaled to about 0 to 1. */
void ssimcu_compat_xyb_row(const float *const rgb[3], float *const xyb[3], uint32_t width);

/* Coefficients of the blur for sigma = 1.5: three recursive filters, whose results are added. */
enum { SSIMCU_COMPAT_BANDS = 3, SSIMCU_COMPAT_LANES = 4 };

struct ssimcu_compat_blur {
    /* Factors of four steps at once, per band and step. inputs[i] are the factors of input i, which
     * are 0 in earlier steps. */
    float inputs[SSIMCU_COMPAT_LANES][SSIMCU_COMPAT_BANDS * SSIMCU_COMPAT_LANES];
    float last[SSIMCU_COMPAT_BANDS * SSIMCU_COMPAT_LANES];         /* factors of the previous
                                                                      result */
    float last_but_one[SSIMCU_COMPAT_BANDS * SSIMCU_COMPAT_LANES]; /* factors of the one before
                                                                      that */
};

/* Computes the coefficients. */
void ssimcu_compat_blur_make(struct ssimcu_compat_blur *blur);

/* Blurs a plane. `between`, as large as the plane, is scratch. */
void ssimcu_compat_blur_plane(const struct ssimcu_compat_blur *blur, const float *in,
                              uint32_t width, uint32_t height, float *between, float *out);
