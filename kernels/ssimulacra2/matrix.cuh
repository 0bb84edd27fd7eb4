/* Products on the tensor cores, and the window as their operand.
 *
 * THE WINDOW has the nine taps of the definition's recursive filter. TapUnits is their f16 form:
 * 1.747 times each, rounded. Divided by the sum, it is one consistent window. Of all factors, this
 * one has the smallest error: 1.6e-5 of the frequency response. */
#pragma once

#include "ssimulacra2/measure.cuh"

#include <cuda_fp16.h>

namespace ssimcu::s2
{

constexpr int TAPS = 9, REACH = 4;

/* The taps times 2^17 and the factor. */
struct TapUnits {
    int of[TAPS] = {2156, 8248, 25040, 48768, 60608, 48768, 25040, 8248, 2156};
};

__host__ __device__ constexpr float tap_of(int i)
{
    return i < 0 || i >= TAPS ? 0.0f : (float)TapUnits().of[i] / (1 << 17);
}

constexpr float tap_sum()
{
    float sum = 0;
    for (int i = 0; i < TAPS; i++) sum += tap_of(i);
    return sum;
}

constexpr float RESCALE = 1 / (tap_sum() * tap_sum()); /* weighted sum -> mean */

__device__ __forceinline__ unsigned bits_of(__half2 v) { return *reinterpret_cast<unsigned *>(&v); }
__device__ __forceinline__ __half2 halves_of(unsigned v)
{
    return *reinterpret_cast<__half2 *>(&v);
}

__device__ __forceinline__ unsigned pack(float low, float high)
{
    return bits_of(__floats2half2_rn(low, high));
}

/* Returns c + a * b: 16 x 8, 8 x 8 f16 numbers. */
struct Product {
    float of[4];
};

__device__ __forceinline__ Product multiply8(const Product &c, unsigned a0, unsigned a1, unsigned b)
{
    Product d;
    asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
        "{%0,%1,%2,%3},{%4,%5},{%6},{%7,%8,%9,%10};"
        : "=f"(d.of[0]), "=f"(d.of[1]), "=f"(d.of[2]), "=f"(d.of[3])
        : "r"(a0), "r"(a1), "r"(b), "f"(c.of[0]), "f"(c.of[1]), "f"(c.of[2]), "f"(c.of[3]));
    return d;
}

/* Does the same for 16 x 16 and 16 x 8 f16 numbers. */
__device__ __forceinline__ Product multiply16(const Product &c, unsigned a0, unsigned a1,
                                              unsigned a2, unsigned a3, unsigned b0, unsigned b1)
{
#if __CUDA_ARCH__ >= 800
    Product d;
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%10,%11,%12,%13};"
        : "=f"(d.of[0]), "=f"(d.of[1]), "=f"(d.of[2]), "=f"(d.of[3])
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1), "f"(c.of[0]), "f"(c.of[1]),
          "f"(c.of[2]), "f"(c.of[3]));
    return d;
#else
    return multiply8(multiply8(c, a0, a1, b0), a2, a3, b1);
#endif
}

/* Loads four matrices of 8 x 8 f16 numbers; each lane names a row of one. */
__device__ __forceinline__ void load_matrices(unsigned (&word)[4], unsigned address)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3},[%4];"
                 : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
                 : "r"(address)
                 : "memory");
}

/* Transposes them as well. */
__device__ __forceinline__ void load_transposed(unsigned (&word)[4], unsigned address)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3},[%4];"
                 : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
                 : "r"(address)
                 : "memory");
}

/* Two taps as a word of an operand: those at `tap` and `tap` + 1, with 0 past the window. */
__device__ __forceinline__ unsigned tap_pair(int tap)
{
    float pair[2] = {0, 0};
#pragma unroll
    for (int i = 0; i < TAPS; i++)
#pragma unroll
        for (int j = 0; j < 2; j++)
            if (tap + j == i) pair[j] = tap_of(i);
    return pack(pair[0], pair[1]);
}

/* The window as operands, and minus the unit matrix. Across: 16 columns x 32 pixels, which start 8
 * before the first column. Down: 16 x 8 rows, which start 4 before. */
struct Weights {
    unsigned across[2][4], down[2], minus_one;
};

__device__ __forceinline__ Weights load_weights(int lane)
{
    const int g = lane / 4, t = lane % 4;
    Weights w;
#pragma unroll
    for (int k = 0; k < 2; k++)
#pragma unroll
        for (int i = 0; i < 4; i++)
            w.across[k][i] = tap_pair(16 * k + 8 * (i / 2) + 2 * t - REACH - g - 8 * (i % 2));
#pragma unroll
    for (int i = 0; i < 2; i++) w.down[i] = tap_pair(8 * i + 2 * t - g);
    w.minus_one = pack(2 * t == g ? -1.0f : 0.0f, 2 * t + 1 == g ? -1.0f : 0.0f);
    return w;
}

} // namespace ssimcu::s2
