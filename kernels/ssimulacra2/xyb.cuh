/* Linear light -> the positive XYB of SSIMULACRA2, for both frames of a pair at a time.
 *
 * UNITS. All values are UNIT times those of the definition, so that squares of small differences
 * are f16 numbers. s is (x + y) / 2 from the channel's origin, and d is (x - y) / 2. Where the two
 * frames are identical, d is exactly 0, because both pass through the same operations.
 *
 * CUBE ROOTS are 2^(log2(v) / 3) on the special-function units, three instructions each. They are
 * within 3e-7, which X multiplies by 14. Levels of bytes are 100 times that apart, but levels of 16
 * bits are not. The scores of frames that differ in the last bit were off by 1.4e-3. So all samples
 * except bytes also take a Newton step. */
#pragma once

#include "ssimulacra2/scales.h"

namespace ssimcu::s2
{

constexpr int CHANNELS = SSIMCU_S2_CHANNELS, IMAGES = 2, LANES = 32;
constexpr float UNIT = 64;

/* Origins of s: the X and B of grey, and the middle of Y. Those of X and B are the constants that
 * the definition adds, so they need not be added. */
constexpr float ORIGIN_X = 0.42f, ORIGIN_Y = 0.45f, ORIGIN_B = 0.55f;
constexpr float BIAS = (float)SSIMCU_S2_BIAS, BIAS_ROOT = (float)SSIMCU_S2_BIAS_ROOT;
constexpr float ADDED_Y = UNIT * (0.01f - BIAS_ROOT - ORIGIN_Y);

/* s and d of X, Y and B of a pixel. */
struct Pixel {
    float s[CHANNELS], d[CHANNELS];
};

/* The value outside the frame, where x and y are 0. */
__device__ __forceinline__ Pixel outside()
{
    return {{-UNIT * ORIGIN_X, -UNIT * ORIGIN_Y, -UNIT * ORIGIN_B}, {0, 0, 0}};
}

__device__ __forceinline__ float log2_of(float v)
{
    float r;
    asm("lg2.approx.ftz.f32 %0,%1;" : "=f"(r) : "f"(v));
    return r;
}

__device__ __forceinline__ float exp2_of(float v)
{
    float r;
    asm("ex2.approx.ftz.f32 %0,%1;" : "=f"(r) : "f"(v));
    return r;
}

__device__ __forceinline__ float reciprocal_of(float v)
{
    float r;
    asm("rcp.approx.ftz.f32 %0,%1;" : "=f"(r) : "f"(v));
    return r;
}

/* Returns 2^SHIFT times the cube root. PRECISE adds a Newton step. */
template <int SHIFT, bool PRECISE>
__device__ __forceinline__ float root3(float v)
{
    if constexpr (PRECISE) {
        const float r = exp2_of(log2_of(v) * (1.0f / 3)), square = r * r;
        const float rest = fmaf(-square, r, v) * reciprocal_of(square);
        return fmaf(rest, 1.0f / 3, r) * (1 << SHIFT);
    } else
        return exp2_of(fmaf(log2_of(v), 1.0f / 3, (float)SHIFT));
}

/* l - m and l + m of the roots, both times 16, and b times 32. */
struct Roots {
    float minus, plus, blue;
};

template <bool PRECISE>
__device__ __forceinline__ Roots roots_of(float r, float g, float b)
{
    const float blue = fmaf(0.078f, b, BIAS);
    const float l = root3<4, PRECISE>(fmaf(0.30f, r, fmaf(0.622f, g, blue)));
    const float m = root3<4, PRECISE>(fmaf(0.23f, r, fmaf(0.692f, g, blue)));
    const float s =
        root3<5, PRECISE>(fmaf(0.24342268924547819f, r,
                               fmaf(0.20476744424496821f, g, fmaf(0.5518098665095536f, b, BIAS))));
    return {l - m, l + m, s};
}

__device__ __forceinline__ Pixel pixel_of(const Roots &x, const Roots &y)
{
    const float plus = x.plus + y.plus, minus = x.plus - y.plus;
    return {{14 * (x.minus + y.minus), plus + ADDED_Y, (x.blue + y.blue) - plus},
            {14 * (x.minus - y.minus), minus, (x.blue - y.blue) - minus}};
}

/* Returns the linear light of a code value from 0 to 1; NaN counts as 0. w^2.4 is w^2 w^0.4,
 * because the logarithm's error grows with the exponent. */
__device__ __forceinline__ float linear_of(float v)
{
    v = fminf(fmaxf(v, 0.0f), 1.0f);
    const float w = fmaf(v, 1 / 1.055f, 0.055f / 1.055f);
    const float power = w * w * exp2_of(0.4f * log2_of(w));
    return v <= 0.04045f ? v * (1 / 12.92f) : power;
}

} // namespace ssimcu::s2
