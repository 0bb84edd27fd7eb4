/* Products on the tensor cores, and the Gaussian as their operand.
 *
 * THE WINDOW is the Gaussian times a factor. Each tap is rounded to f16, and all are divided by
 * their rounded sum. Of all factors that keep the second moment, 0.85433 has the smallest error: at
 * most 7.5e-6 of the frequency response, and 2.6e-6 of the variance.
 */
#pragma once

#include "ssim/tensor/lane.cuh"

#include <cuda_fp16.h>

namespace ssimcu::tensor
{

constexpr int LANE_PX = 8; /* pixels of a row that a lane reads: four lanes, 32 columns */

/* Taps times 2^WEIGHT_BITS. */
constexpr int WEIGHT_BITS = 21;
constexpr int WEIGHT_UNITS[TAPS] = {1843,   13616,  64512, 195968, 381696, 476672,
                                    381696, 195968, 64512, 13616,  1843};

/* An f16 number: 5 bits of exponent, biased by 15, over 10 of mantissa. */
constexpr int HALF_BIAS = 15, HALF_MANTISSA = 10;
constexpr unsigned HALF_MINUS_ONE = 0xbc00u;

/* Returns the f16 number of units * 2^-WEIGHT_BITS, which holds it exactly. */
constexpr unsigned half_bits(int units)
{
    constexpr int ONE_UNIT = HALF_BIAS - WEIGHT_BITS; /* the exponent of a single one */
    int exponent = ONE_UNIT;
    while (units >> (exponent - ONE_UNIT + 1)) exponent++;
    const int shift = exponent - ONE_UNIT - HALF_MANTISSA;
    const int mantissa = shift >= 0 ? units >> shift : units << -shift;
    return units == 0
               ? 0
               : (unsigned)((exponent << HALF_MANTISSA) | (mantissa & ((1 << HALF_MANTISSA) - 1)));
}

constexpr float weight_sum()
{
    int units = 0;
    for (int i = 0; i < TAPS; i++) units += WEIGHT_UNITS[i];
    return (float)units / (1 << WEIGHT_BITS);
}

/* Two neighbouring weights per word, with zeros around them: word k + WEIGHT_ZEROS has weights k
 * and k+1. */
constexpr int WEIGHT_ZEROS = 32;
struct WeightPairs {
    unsigned of[2 * WEIGHT_ZEROS];
    constexpr WeightPairs() : of()
    {
        for (int i = 0; i < 2 * WEIGHT_ZEROS; i++) {
            const int k = i - WEIGHT_ZEROS;
            const unsigned low = k >= 0 && k < TAPS ? half_bits(WEIGHT_UNITS[k]) : 0;
            const unsigned high = k + 1 >= 0 && k + 1 < TAPS ? half_bits(WEIGHT_UNITS[k + 1]) : 0;
            of[i] = low | high << 16;
        }
    }
};
__device__ constexpr WeightPairs PAIRS;

constexpr float AREA = weight_sum() * weight_sum(); /* sum of a window's weights */
constexpr float RESCALE = 1.0f / AREA;

/* Weights as operands, and minus the unit matrix. */
struct Weights {
    unsigned across[2][4], down[3][2], minus_one;
};

__device__ __forceinline__ unsigned bits(__half2 v) { return *reinterpret_cast<unsigned *>(&v); }
__device__ __forceinline__ __half2 halves(unsigned v) { return *reinterpret_cast<__half2 *>(&v); }

__device__ __forceinline__ void mma16(float (&d)[4], unsigned a0, unsigned a1, unsigned a2,
                                      unsigned a3, unsigned b0, unsigned b1, const float (&c)[4])
{
#if __CUDA_ARCH__ >= 800
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                 "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%10,%11,%12,%13};"
                 : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
                 : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1), "f"(c[0]), "f"(c[1]),
                   "f"(c[2]), "f"(c[3]));
#endif
}

__device__ __forceinline__ void mma8(float (&d)[4], unsigned a0, unsigned a1, unsigned b0,
                                     const float (&c)[4])
{
#if __CUDA_ARCH__ >= 800
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
                 "{%0,%1,%2,%3},{%4,%5},{%6},{%7,%8,%9,%10};"
                 : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
                 : "r"(a0), "r"(a1), "r"(b0), "f"(c[0]), "f"(c[1]), "f"(c[2]), "f"(c[3]));
#endif
}

__device__ __forceinline__ float reciprocal(float v)
{
    float r;
    asm("rcp.approx.ftz.f32 %0,%1;" : "=f"(r) : "f"(v));
    return r;
}

/* Splits four sums into an operand of f16 numbers: the rests in words 0 and 1, the rounded sums in
 * 2 and 3. */
__device__ __forceinline__ void split(float (&v)[4], unsigned minus_one, unsigned (&sums)[4])
{
    sums[2] = bits(__floats2half2_rn(v[1], v[0]));
    sums[3] = bits(__floats2half2_rn(v[3], v[2]));
    float rest[4];
    mma8(rest, sums[2], sums[3], minus_one, v);
    sums[0] = bits(__floats2half2_rn(rest[0], rest[1]));
    sums[1] = bits(__floats2half2_rn(rest[2], rest[3]));
}

constexpr unsigned KEEP_HALVES = 0x3210, SWAP_HALVES = 0x1032; /* selectors for __byte_perm */

template <class Loader, Output OUTPUT>
__device__ Weights load_weights(const Lane<OUTPUT> &lane, int shift)
{
    const int g = lane.g, t = lane.t;
    const unsigned *pair = PAIRS.of + WEIGHT_ZEROS;
    Weights w;
#pragma unroll
    for (int k = 0; k < 2; k++)
#pragma unroll
        for (int i = 0; i < 4; i++)
            w.across[k][i] = pair[Loader::LANE_STEP * t + (Loader::LANE_REACH - 4) * k +
                                  2 * (i / 2) - lane.column(i % 2) - shift];
#pragma unroll
    for (int k = 0; k < 3; k++)
#pragma unroll
        for (int i = 0; i < 2; i++)
            w.down[k][i] =
                __byte_perm(pair[2 * t + 8 * k - lane.row()], 0, i ? SWAP_HALVES : KEEP_HALVES);
    w.minus_one = 2 * t == g ? HALF_MINUS_ONE << 16 : 2 * t + 1 == g ? HALF_MINUS_ONE : 0;
    return w;
}

} // namespace ssimcu::tensor
