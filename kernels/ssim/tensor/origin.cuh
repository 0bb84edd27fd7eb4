/* The origin from which a warp measures its samples, and the terms of a sample on the tensor
 * cores. */
#pragma once

#include "ssim/tensor/mma_f16.cuh"

namespace ssimcu::tensor
{

/* Bytes reach the tensor cores as the f16 numbers 1024 + v, whose high byte is constant. */
constexpr float BYTE_BIAS = 1024;
constexpr unsigned BYTE_BIAS_HIGH = 0x64646464; /* four such bytes */

constexpr float HOME = 128; /* the middle of the range of s / 2 */

/* The origin of s / 2 and d / 2, and the f16 terms to add to y / 2 and -y / 2 for it. */
struct Origin {
    float s, d;
    float shrink = 1; /* factor of the samples; below 1 if unbounded (float_terms.cuh) */
    unsigned shift_s, shift_d;
    __device__ __forceinline__ void set(float new_s, float new_d)
    {
        s = new_s, d = new_d;
        shift_s = bits(__float2half2_rn(-BYTE_BIAS - s));
        shift_d = bits(__float2half2_rn(-d));
    }
    __device__ __forceinline__ bool is(float other_s, float other_d) const
    {
        return s == other_s && d == other_d;
    }
};

/* Four samples of s / 2 or d / 2 and their squares, each as the sum of two f16 numbers. */
struct Terms {
    unsigned value[2], value_rest[2], square[2], square_rest[2];
};

/* Sets two samples, each the sum of two f16 numbers, and their squares, without the square of the
 * second number. */
__device__ __forceinline__ void set_terms(__half2 high, __half2 low, int p, Terms &terms)
{
    const __half2 square = __hmul2_rn(high, high);
    const __half2 rest = __hfma2(high, high, __hneg2(square));
    terms.value[p] = bits(high);
    terms.value_rest[p] = bits(low);
    terms.square[p] = bits(square);
    terms.square_rest[p] = bits(__hfma2(__hadd2_rn(high, high), low, rest));
}

} // namespace ssimcu::tensor
