/* Linear light: the conversion of a render's float samples to plane values, and a check for samples
 * that a curve cannot show. The CPU and the GPU both include this file. In double, the curves are
 *
 *   light    v = sample * gain, white is 1; over a background: v a + background (1 - a)
 *   none     v
 *   srgb     s(clamp(v, 0, 1)), IEC 61966-2-1: s(v) = 12.92 v up to 0.0031308, beyond that
 *            1.055 v^(1/2.4) - 0.055
 *   hable    s(min(h(1.758141 v) / h(11.2), 1)), v at least 0; h(x) = (x (0.22 x + 0.03) + 0.002) /
 *            (x (0.22 x + 0.3) + 0.06) - 1/30. This is the filmic curve of training/color.py in
 *            Intel Open Image Denoise.
 *   pu21     max(p7 (((p1 + p2 Y^p4) / (1 + p3 Y^p4))^p5 - p6), 0) / 256, Y = clamp(v nits, 0.005,
 *            10000) cd/m2: Mantiuk and Azimi, PU21, PCS 2021, "banding and glare"
 *
 * A plane holds `unit` times these values. The unit is a power of two if both frames have the same
 * white. Luma follows the curve, as it does in a picture file. Under PU21 luma comes first, because
 * PU21 is a curve of luminance.
 *
 * POWERS. x^p = 2^(p log2 x) = 2^n (1 + t). Both functions are polynomials. Their relative error is
 * below 1e-7 together with the rounding of float; tests/lib/test_light.c measures the curves
 * against double. Subtrahends of a power are subtracted from 2^n first, so no digits are lost. The
 * functions have no branch and no call, so a compiler vectorizes them. */
#pragma once

#include "core/samples.h"

#include <float.h>

/* The values match the public enum ssimcu_transfer. */
enum { SSIMCU_LIGHT_NONE, SSIMCU_LIGHT_SRGB, SSIMCU_LIGHT_PU21, SSIMCU_LIGHT_HABLE };

#if defined(__CUDA_ARCH__) || defined(__FMA__) || defined(__aarch64__)
#    define SSIMCU_LIGHT_FMA(a, b, c) __builtin_fmaf(a, b, c)
#else
#    define SSIMCU_LIGHT_FMA(a, b, c) ((a) * (b) + (c))
#endif

/* x^p = whole (1 + part), where `whole` is a power of two. */
struct ssimcu_light_power {
    float whole, part;
};

/* Computes x^p for a normal x above 0 and |p log2 x| below 126. `over` is x - 1, including the
 * digits that x itself loses near 1. */
SSIMCU_HOST_DEVICE struct ssimcu_light_power ssimcu_light_power(float x, float over, float p)
{
    union {
        float value;
        uint32_t bits; /* sums of these may wrap; for a NaN they are meaningless */
    } number = {x}, part;
    const int32_t exponent =
        (int32_t)(number.bits - 0x3f3504f3) >> 23; /* x = 2^exponent times 1 / sqrt(2) to sqrt(2) */
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
    const struct ssimcu_light_power result = {part.value, power * f};
    return result;
}

SSIMCU_HOST_DEVICE float ssimcu_light_clamp(float v, float low, float high)
{
    const float least = v < low ? low : v;
    return least > high ? high : least;
}

/* PU21 ends at so many cd/m2; hable ends where BIAS times the light is WHITE. */
#define SSIMCU_LIGHT_PU21_MOST 10000.0f
#define SSIMCU_LIGHT_HABLE_BIAS 1.758141f
#define SSIMCU_LIGHT_HABLE_WHITE 11.2f

/* The curves map light to plane units. */
SSIMCU_HOST_DEVICE float ssimcu_light_srgb(float v, float unit)
{
    const float c = ssimcu_light_clamp(v, 0.0f, 1.0f);
    const struct ssimcu_light_power power = ssimcu_light_power(c, c - 1.0f, 1 / 2.4f);
    const float whole = 1.055f * power.whole;
    const float bright = SSIMCU_LIGHT_FMA(whole, power.part, whole - 0.055f);
    const float value = c <= 0.0031308f ? c * 12.92f : bright;
    return (value > 1.0f ? 1.0f : value) * unit;
}

SSIMCU_HOST_DEVICE float ssimcu_light_filmic(float x)
{
    /* This is (x (A x + C B) + D E) / (x (A x + B) + D F) - E / F as one fraction. It loses no
     * digits near 0. Its numerator is x (A x (1 - E/F) + B (C - E/F)). */
    return x * SSIMCU_LIGHT_FMA(x, 0.22f * (29.0f / 30.0f), 0.02f) /
           SSIMCU_LIGHT_FMA(x, SSIMCU_LIGHT_FMA(x, 0.22f, 0.3f), 0.06f);
}

SSIMCU_HOST_DEVICE float ssimcu_light_hable(float v, float unit)
{
    const float white = SSIMCU_LIGHT_HABLE_WHITE;
    const float x = ssimcu_light_clamp(v * SSIMCU_LIGHT_HABLE_BIAS, 0.0f, white);
    return ssimcu_light_srgb(ssimcu_light_filmic(x) / ssimcu_light_filmic(white), unit);
}

/* p2 / r - p3 and p1 / r - 1, with r^p5 = p6 */
#define SSIMCU_LIGHT_PU21_SLOPE 1.047342269389f
#define SSIMCU_LIGHT_PU21_START (-0.008605295468f)

/* Computes p7 p6 ((ratio / r)^p5 - 1). In this form nothing cancels near black, where the ratio is
 * r. The difference ratio / r - 1 is one fraction. */
SSIMCU_HOST_DEVICE float ssimcu_light_pu21(float v, float nits, float unit)
{
    const float light = ssimcu_light_clamp(v * nits, 0.005f, SSIMCU_LIGHT_PU21_MOST);
    const struct ssimcu_light_power y = ssimcu_light_power(light, light - 1.0f, 0.9062562627f);
    const float power = SSIMCU_LIGHT_FMA(y.whole, y.part, y.whole);
    const float over = SSIMCU_LIGHT_FMA(power, SSIMCU_LIGHT_PU21_SLOPE, SSIMCU_LIGHT_PU21_START) /
                       SSIMCU_LIGHT_FMA(power, 8.277049286e-05f, 1.0f);
    const struct ssimcu_light_power code = ssimcu_light_power(1.0f + over, over, 0.09150303166f);
    const float above = SSIMCU_LIGHT_FMA(code.whole, code.part, code.whole - 1.0f);
    return above > 0.0f ? above * (596.3148142f * 0.9099517204f / 256.0f) * unit : 0.0f;
}

/* Returns the plane value of a finite sample. `transfer` is that of `light`, passed as a constant
 * so that a compiler vectorizes the loop. */
SSIMCU_HOST_DEVICE float ssimcu_light_encode(const struct ssimcu_light_rule *light,
                                             uint32_t transfer, float sample, float unit)
{
    switch (transfer) {
    case SSIMCU_LIGHT_SRGB: return ssimcu_light_srgb(sample * light->gain, unit);
    case SSIMCU_LIGHT_PU21: return ssimcu_light_pu21(sample * light->gain, light->nits, unit);
    case SSIMCU_LIGHT_HABLE: return ssimcu_light_hable(sample * light->gain, unit);
    default: return ssimcu_sample_unit(sample, light->gain * 255.0f, unit);
    }
}

/* Returns the sample, or 0 if it is not finite and `nan_zero` is set. */
SSIMCU_HOST_DEVICE float ssimcu_light_finite(uint32_t nan_zero, float sample)
{
    return nan_zero && !(fabsf(sample) <= FLT_MAX) ? 0.0f : sample;
}

/* Returns non-zero if colours have a gain. Alpha never has one. */
SSIMCU_HOST_DEVICE int ssimcu_light_has_gain(const struct ssimcu_pixel_rule *rule)
{
    return rule->light.on && rule->light.gain != (float)rule->opaque;
}

/* Returns non-zero if floats need no conversion from light. core/samples.h then converts them. */
SSIMCU_HOST_DEVICE int ssimcu_light_is_plain(const struct ssimcu_pixel_rule *rule)
{
    return rule->light.transfer == SSIMCU_LIGHT_NONE && !ssimcu_light_has_gain(rule);
}

SSIMCU_HOST_DEVICE float ssimcu_light_luma(const struct ssimcu_pixel_rule *rule, const float *value)
{
    return ((float)rule->luma[0] * value[0] + (float)rule->luma[1] * value[1] +
            (float)rule->luma[2] * value[2]) /
           10000.0f;
}

/* Returns non-zero if a curve changes the samples. */
SSIMCU_HOST_DEVICE int ssimcu_light_has_curve(const struct ssimcu_light_rule *light)
{
    return light->on && light->transfer != SSIMCU_LIGHT_NONE;
}

/* Returns non-zero if the curve makes display values, which luma follows. */
SSIMCU_HOST_DEVICE int ssimcu_light_is_shown(const struct ssimcu_light_rule *light)
{
    return light->transfer == SSIMCU_LIGHT_SRGB || light->transfer == SSIMCU_LIGHT_HABLE;
}

/* Converts one pixel: rule->channels samples as they are stored to rule->planes numbers in plane
 * units. */
SSIMCU_HOST_DEVICE void ssimcu_light_convert(const struct ssimcu_pixel_rule *rule,
                                             const float *sample, float *plane)
{
    const struct ssimcu_light_rule *light = &rule->light;
    const int is_shown = ssimcu_light_is_shown(light);
    float value[3], a = 1.0f, under = 0.0f;
    if (rule->alpha) {
        a = ssimcu_light_finite(light->nan_zero, sample[rule->channels - 1]) * (float)rule->opaque;
        under = (1.0f - a) * (float)rule->back_light;
    }
    for (uint32_t c = 0; c < 3; c++) {
        const float stored = sample[rule->channels >= 3 ? c : 0];
        value[c] = ssimcu_light_finite(light->nan_zero, stored) * a + under;
    }
    if (rule->luma[1] && !is_shown) value[0] = ssimcu_light_luma(rule, value);
    for (uint32_t c = 0; c < 3; c++)
        value[c] = ssimcu_light_encode(light, light->transfer, value[c], rule->unit);
    if (rule->luma[1] && is_shown) value[0] = ssimcu_light_luma(rule, value);
    for (uint32_t c = 0; c < 3; c++)
        if (c < rule->planes) plane[c] = value[c];
}

/* ---- Samples that a curve cannot show -------------------------------------------------------- */

/* Counts of one frame. */
struct ssimcu_light_counts {
    uint64_t clamped;    /* pixels with a colour sample below 0 or above the curve's end */
    uint64_t not_finite; /* samples */
    uint64_t first;      /* inverted position y * width + x of the first such sample; 0: none */
};

/* Samples are compared by their bits, which order floats of one sign as integers. So every device
 * counts the same. All three fields are the bits of a magnitude. */
struct ssimcu_light_bounds {
    uint32_t top;    /* the largest above 0 that is not clamped */
    uint32_t bottom; /* the same below 0 */
    uint32_t finite; /* the largest that counts as finite */
};

enum { SSIMCU_LIGHT_CLAMPED = 1, SSIMCU_LIGHT_NOT_FINITE = 2 };

/* Judges a sample by its bits without the sign. */
SSIMCU_HOST_DEVICE uint32_t ssimcu_light_judge(const struct ssimcu_light_bounds *bounds,
                                               uint32_t magnitude, uint32_t negative)
{
    const uint32_t most = negative ? bounds->bottom : bounds->top;
    if (magnitude > bounds->finite) return SSIMCU_LIGHT_NOT_FINITE;
    return magnitude > most ? SSIMCU_LIGHT_CLAMPED : 0;
}
