/* The curves of core/light.h on the CPU, in units of the task (ssim_tiles.h). They lose fewer
 * digits than the header's own, which the GPU uses. A power is 2^n (1 + t): what is subtracted from
 * it is subtracted from 2^n first. Each instruction set compiles them for itself. */
#ifndef SSIMCU_CPU_CURVES_H
#define SSIMCU_CPU_CURVES_H

#include "core/light.h"

#define CURVE_INLINE static inline __attribute__((always_inline))

/* x^p = whole (1 + part), whole a power of two. */
struct curve_power {
    float whole, part;
};

/* Computes x^p like ssimcu_light_power. `over` is x - 1, with the digits that x has lost if it is
 * near 1. */
CURVE_INLINE struct curve_power curve_power(float x, float over, float p)
{
    union {
        float value;
        uint32_t bits;
    } number = {x}, part;
    const int32_t exponent = (int32_t)(number.bits - 0x3f3504f3) >> 23;
    part.bits = number.bits - ((uint32_t)exponent << 23);
    const float t = exponent == 0 ? over : part.value - 1.0f;
    float log2 = -0.14275974f;
    log2 = SSIMCU_LIGHT_FMA(log2, t, 0.23265258f);
    log2 = SSIMCU_LIGHT_FMA(log2, t, -0.24927182f);
    log2 = SSIMCU_LIGHT_FMA(log2, t, 0.28728887f);
    log2 = SSIMCU_LIGHT_FMA(log2, t, -0.36022517f);
    log2 = SSIMCU_LIGHT_FMA(log2, t, 0.48091671f);
    log2 = SSIMCU_LIGHT_FMA(log2, t, -0.72135293f);
    log2 = SSIMCU_LIGHT_FMA(log2, t, 1.44269502f);
    const float y = SSIMCU_LIGHT_FMA(log2, t, (float)exponent) * p;
    number.value = y + 0x1.8p23f; /* the sum rounds y to an integer, in its last bits */
    const float f = y - (number.value - 0x1.8p23f);
    float power = 1.5461445e-4f;
    power = SSIMCU_LIGHT_FMA(power, f, 1.3400428e-3f);
    power = SSIMCU_LIGHT_FMA(power, f, 9.6180569e-3f);
    power = SSIMCU_LIGHT_FMA(power, f, 5.5503272e-2f);
    power = SSIMCU_LIGHT_FMA(power, f, 0.24022651f);
    power = SSIMCU_LIGHT_FMA(power, f, 0.69314718f);
    part.bits = 0x3f800000u + ((number.bits - 0x4b400000) << 23);
    return (struct curve_power){part.value, power * f};
}

CURVE_INLINE float curve_srgb(float v, float unit)
{
    const float c = ssimcu_light_clamp(v, 0.0f, 1.0f);
    const struct curve_power power = curve_power(c, c - 1.0f, 1 / 2.4f);
    const float whole = 1.055f * power.whole;
    const float bright = SSIMCU_LIGHT_FMA(whole, power.part, whole - 0.055f);
    const float value = c <= 0.0031308f ? c * 12.92f : bright;
    return (value > 1.0f ? 1.0f : value) * unit;
}

CURVE_INLINE float curve_hable(float v, float unit)
{
    const float white = SSIMCU_LIGHT_HABLE_WHITE;
    const float x = ssimcu_light_clamp(v * SSIMCU_LIGHT_HABLE_BIAS, 0.0f, white);
    return curve_srgb(ssimcu_light_filmic(x) / ssimcu_light_filmic(white), unit);
}

/* Computes p7 p6 ((ratio / r)^p5 - 1) with r^p5 = p6. So nothing cancels near black, where the
 * ratio is r. ratio / r - 1 is one fraction. */
/* p2 / r - p3 and p1 / r - 1 */
#define PU21_SLOPE 1.047342269389f
#define PU21_START -0.008605295468f

CURVE_INLINE float curve_pu21(float v, float nits, float unit)
{
    const float light = ssimcu_light_clamp(v * nits, 0.005f, SSIMCU_LIGHT_PU21_MOST);
    const struct curve_power y = curve_power(light, light - 1.0f, 0.9062562627f);
    const float power = SSIMCU_LIGHT_FMA(y.whole, y.part, y.whole);
    const float over = SSIMCU_LIGHT_FMA(power, PU21_SLOPE, PU21_START) /
                       SSIMCU_LIGHT_FMA(power, 8.277049286e-05f, 1.0f);
    const struct curve_power code = curve_power(1.0f + over, over, 0.09150303166f);
    const float above = SSIMCU_LIGHT_FMA(code.whole, code.part, code.whole - 1.0f);
    return above > 0.0f ? above * (596.3148142f * 0.9099517204f / 256.0f) * unit : 0.0f;
}

/* Returns NaN for a value that no score can hold, by the arithmetic of ssimcu_light_as_is. */
CURVE_INLINE float curve_none(const struct ssimcu_light_rule *light, float sample, float unit)
{
    return fabsf(sample * light->gain * 255.0f) <= SSIMCU_SAMPLE_LIMIT ? sample * unit : NAN;
}

/* Returns a finite sample in units of the task. */
CURVE_INLINE float curve_sample(const struct ssimcu_light_rule *light, uint32_t transfer,
                                float sample, float unit)
{
    switch (transfer) {
    case SSIMCU_LIGHT_SRGB: return curve_srgb(sample * light->gain, unit);
    case SSIMCU_LIGHT_PU21: return curve_pu21(sample * light->gain, light->nits, unit);
    case SSIMCU_LIGHT_HABLE: return curve_hable(sample * light->gain, unit);
    default: return curve_none(light, sample, unit);
    }
}

#endif
