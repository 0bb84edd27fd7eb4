/* A curve of core/light.h as a table of polynomials, whose values are whole numbers (core/fixed.h).
 * A table also takes fewer instructions than two powers. The CPU and the GPU both include this
 * file.
 *
 * PIECES. An octave of samples has 16 pieces, each of them a polynomial of degree 4 in a t from -1
 * to 1. The polynomial meets the curve within 1e-9 of white. All samples below the first octave
 * share one piece. A curve with a kink has two pieces where the kink lies, one for each side. Gain,
 * units and the light of white are in the coefficients, so nothing is rounded before the curve.
 *
 * ENDS. The first and the last piece are moved by less than one whole number, so that they end at
 * whole numbers. Rounding then preserves the ends. Black, white and all samples clamped to them are
 * the same whatever the gain and the peak. */
#pragma once

#include "core/fixed.h"
#include "core/light.h"

enum {
    SSIMCU_CURVE_OCTAVES = 26,
    SSIMCU_CURVE_PIECES = 2 + SSIMCU_CURVE_OCTAVES * 16,
    SSIMCU_CURVE_MANTISSA = 23 - 4, /* bits of a mantissa that do not choose the piece */
    SSIMCU_CURVE_WHITE = 128        /* plane units: the highest white of a curve */
};

/* A polynomial: its coefficients of t, t^2, t^3 and t^4, and its value at t = 0. That value is the
 * sum of `base` and `fixed`. */
struct ssimcu_curve_piece {
    float power[4];
    float base;
    int32_t fixed;
} __attribute__((aligned(8)));

/* The samples at which a curve's pieces begin and end. */
struct ssimcu_curve_range {
    float most;  /* the curve ends at this sample */
    float kink;  /* samples above it are one piece further on */
    float below; /* t = sample * below - 1 in the first piece */
    int32_t first;
};

struct ssimcu_curve {
    struct ssimcu_light_rule light; /* the rule of the table; on 0: no table yet */
    float unit;
    struct ssimcu_curve_range range;
    struct ssimcu_curve_piece piece[SSIMCU_CURVE_PIECES];
};

/* Returns the sample for the curve. A sample that is not finite becomes 0. If it is invalid, its
 * count makes the comparison fail. */
SSIMCU_HOST_DEVICE float ssimcu_curve_clamp(const struct ssimcu_curve_range *range, float sample)
{
    const float least = sample > 0 && sample <= FLT_MAX ? sample : 0;
    return least < range->most ? least : range->most;
}

/* Returns the value of a sample as a whole number. The sum with 1.5 * 2^23 rounds it, because no
 * piece leaves +-2^22 if white is at most SSIMCU_CURVE_WHITE. */
SSIMCU_HOST_DEVICE int32_t ssimcu_curve_at(const struct ssimcu_curve_range *range,
                                           const struct ssimcu_curve_piece *piece, float sample)
{
    const float x = ssimcu_curve_clamp(range, sample);
    const union ssimcu_fixed_number number = {x};
    const int32_t place = (number.bits >> SSIMCU_CURVE_MANTISSA) - range->first;
    const struct ssimcu_curve_piece *p = &piece[(place > 0 ? place : 0) + (x > range->kink)];
    /* the rest of the mantissa, as a number from 1 to 2 */
    const int32_t mantissa = number.bits & ((1 << SSIMCU_CURVE_MANTISSA) - 1);
    union ssimcu_fixed_number rest, sum;
    rest.bits = mantissa << (23 - SSIMCU_CURVE_MANTISSA) | 0x3f800000;
    const float inside = rest.value * 2 - 3, below = x * range->below - 1;
    const float t = place > 0 ? inside : below;
    float value = SSIMCU_LIGHT_FMA(p->power[3], t, p->power[2]);
    value = SSIMCU_LIGHT_FMA(value, t, p->power[1]);
    value = SSIMCU_LIGHT_FMA(value, t, p->power[0]);
    sum.value = SSIMCU_LIGHT_FMA(value, t, p->base) + 0x1.8p23f;
    return p->fixed + (sum.bits - 0x4b400000);
}

/* Does the same for a sample in plane units that is not a float. */
SSIMCU_HOST_DEVICE double ssimcu_curve_exact(const struct ssimcu_curve_range *range,
                                             const struct ssimcu_curve_piece *piece, double sample)
{
    const double most = (double)range->most, least = sample > 0 && sample <= FLT_MAX ? sample : 0;
    const double x = least < most ? least : most;
    const union ssimcu_fixed_number number = {(float)x};
    const int32_t place = number.bits >> SSIMCU_CURVE_MANTISSA, at = place - range->first;
    union ssimcu_fixed_number from, to;
    from.bits = place * (1 << SSIMCU_CURVE_MANTISSA);
    to.bits = (place + 1) * (1 << SSIMCU_CURVE_MANTISSA);
    const double start = (double)from.value, width = (double)to.value - start;
    const double t = at > 0 ? 2 * (x - start) / width - 1 : x * (double)range->below - 1;
    const struct ssimcu_curve_piece *p = &piece[(at > 0 ? at : 0) + (number.value > range->kink)];
    double value = (double)p->power[3];
    for (int i = 2; i >= 0; i--) value = value * t + (double)p->power[i];
    return (value * t + (double)p->base + p->fixed) / (double)SSIMCU_FIXED_ONE;
}

/* Does the same for either kind. For a float, the bits equal those of ssimcu_curve_at. */
SSIMCU_HOST_DEVICE double ssimcu_curve_value(const struct ssimcu_curve_range *range,
                                             const struct ssimcu_curve_piece *piece, double sample)
{
    const float stored = (float)sample;
    return (double)stored == sample
               ? ssimcu_curve_at(range, piece, stored) / (double)SSIMCU_FIXED_ONE
               : ssimcu_curve_exact(range, piece, sample);
}

/* Composites a pixel as ssimcu_light_convert does, in double. It writes the colours before the
 * curve, or PU21's luma. */
SSIMCU_HOST_DEVICE void ssimcu_curve_composite(const struct ssimcu_pixel_rule *rule,
                                               const float *sample, double *value)
{
    const struct ssimcu_light_rule *light = &rule->light;
    double a = 1, under = 0;
    if (rule->alpha) {
        a = (double)ssimcu_light_finite(light->nan_zero, sample[rule->channels - 1]) * rule->opaque;
        under = (1 - a) * rule->back_light;
    }
    for (uint32_t c = 0; c < 3; c++) {
        const float stored = sample[rule->channels >= 3 ? c : 0];
        value[c] = ssimcu_light_finite(light->nan_zero, stored) * a + under;
    }
    if (rule->luma[1] && !ssimcu_light_is_shown(light)) value[0] = ssimcu_pixel_luma(rule, value);
}

/* Returns a sample of light in plane units. There is no table if there is no curve, or if the
 * pair's other side may have any value. */
SSIMCU_HOST_DEVICE double ssimcu_curve_encode(const struct ssimcu_pixel_rule *rule,
                                              const struct ssimcu_curve_range *range,
                                              const struct ssimcu_curve_piece *piece, double sample)
{
    if (piece) return ssimcu_curve_value(range, piece, sample);
    const double value =
        (double)ssimcu_light_encode(&rule->light, rule->light.transfer, (float)sample, rule->unit);
    if (rule->light.transfer != SSIMCU_LIGHT_NONE || value != value) return value;
    return sample * (double)rule->unit;
}

/* Converts a pixel as ssimcu_light_convert does, in double. `piece` is NULL if there is no table.
 */
SSIMCU_HOST_DEVICE void ssimcu_curve_convert(const struct ssimcu_pixel_rule *rule,
                                             const struct ssimcu_curve_range *range,
                                             const struct ssimcu_curve_piece *piece,
                                             const float *sample, double *plane)
{
    double value[3];
    ssimcu_curve_composite(rule, sample, value);
    for (uint32_t c = 0; c < 3; c++)
        if (c < rule->planes || rule->luma[1])
            value[c] = ssimcu_curve_encode(rule, range, piece, value[c]);
    if (rule->luma[1] && ssimcu_light_is_shown(&rule->light))
        value[0] = ssimcu_pixel_luma(rule, value);
    for (uint32_t c = 0; c < 3; c++)
        if (c < rule->planes) plane[c] = value[c];
}
