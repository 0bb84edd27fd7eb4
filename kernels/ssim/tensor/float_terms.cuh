/* Terms of floats for the tensor cores. loader_f32.cuh and loader_f16.cuh use this file.
 *
 * FORM. s / 2 and d / 2 from the origin are two f16 numbers: a value and its rest. So are their
 * squares, without the square of the rest (2^-24 of the whole).
 *
 * RANGE. White lies above 127.5 and up to 255. f16 numbers hold squares of up to 255. A sample
 * further from the origin, far outside 0 to the peak, makes a moment that is not finite. The warp
 * then measures in units 4 times as large and repeats the tile. The largest unit, 2^16, serves all
 * valid samples. Invalid samples are not finite even there.
 */
#pragma once

#include "core/samples.h"
#include "core/units.h"
#include "ssim/paths.cuh"
#include "ssim/tensor/origin.cuh"
#include "ssim/tensor/strip.cuh"

namespace ssimcu::tensor
{

/* Sets the factors from samples to halves of plane units, for s / 2 and d / 2, and to 8-bit units.
 * The first is a power of two, so it rounds nothing. */
inline void set_float_units(const ssimcu_ssim_task &task, Cut &cut)
{
    const double white = white_of(task), unit = ssimcu_unit_for(white);
    cut.half_unit = (float)(unit / 2);
    cut.scale = (float)(SSIMCU_PEAK / white);
    cut.home = (float)(white * unit / 256);
    set_white(white * unit, cut);
}

__device__ __forceinline__ bool may_count(float sample, const Cut &cut)
{
    return fabsf(sample * cut.scale) <= SSIMCU_SAMPLE_LIMIT;
}

/* Sets the terms of four values of s / 2 or d / 2 from the origin. */
__device__ __forceinline__ void set_terms(const float (&value)[4], Terms &terms)
{
#pragma unroll
    for (int p = 0; p < 2; p++) {
        const float v0 = value[2 * p], v1 = value[2 * p + 1];
        const __half2 high = __floats2half2_rn(v0, v1);
        const float2 back = __half22float2(high);
        set_terms(high, __floats2half2_rn(v0 - back.x, v1 - back.y), p, terms);
    }
}

/* Sets the terms of four sums or differences of samples. */
__device__ __forceinline__ void set_float_terms(const float (&sample)[4], int q,
                                                const Origin &origin, const Cut &cut, Terms &terms)
{
    const float unit = cut.half_unit * origin.shrink;
    const float from = q == S ? -origin.s : -origin.d;
    float value[4];
#pragma unroll
    for (int i = 0; i < 4; i++) value[i] = fmaf(sample[i], unit, from);
    set_terms(value, terms);
}

} // namespace ssimcu::tensor
