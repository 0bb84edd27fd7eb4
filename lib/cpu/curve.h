/* A curve of core/light.h as a table of polynomials, for the CPU. A float of the curve's value has
 * too few digits: near white its last place is 1.5e-5 of 256, and a score of faint contrast feels
 * a tenth of that. So a value is a whole number of 2^-21 plane units, and s and d are rounded only
 * once. A table also takes fewer instructions than two powers.
 *
 * PIECES. An octave of samples has 16 pieces, each of them a polynomial of degree 4 in a t from -1
 * to 1. The polynomial meets the curve within 1e-9 of white. What is below the first octave is one
 * piece. A curve with a kink has two pieces where the kink lies, one for each side. Gain, units and
 * the light of white are in the coefficients, so nothing is rounded before the curve. */
#ifndef SSIMCU_CURVE_H
#define SSIMCU_CURVE_H

#include "core/light.h"

enum { SSIMCU_CURVE_OCTAVES = 26, SSIMCU_CURVE_PIECES = 16, SSIMCU_CURVE_MANTISSA = 23 - 4 };

#define SSIMCU_FIXED_ONE 0x1p21f /* whole numbers in a plane unit */

struct ssimcu_curve {
    struct ssimcu_light_rule light; /* what the table was made for; on 0: nothing yet */
    float unit;
    float most;  /* the curve ends at this sample */
    float kink;  /* samples above it are a piece further on */
    float below; /* t = sample * below - 1 in the first piece */
    int32_t first;
    struct ssimcu_curve_piece {
        float power[4]; /* factors of t, t^2, ... */
        float base;
        int32_t fixed; /* value at t = 0, less `base` */
    } piece[2 + SSIMCU_CURVE_OCTAVES * SSIMCU_CURVE_PIECES];
};

/* Makes the table of a rule whose light is on and has a curve, unless it is that already. */
void ssimcu_curve_make(struct ssimcu_curve *curve, const struct ssimcu_light_rule *light,
                       float unit);

/* Returns the sample as the curve takes it. One that is not finite counts as 0. If it may not count
 * at all, its count makes the comparison fail. */
static inline float ssimcu_curve_clamp(const struct ssimcu_curve *curve, float sample)
{
    const float least = sample > 0 && sample <= FLT_MAX ? sample : 0;
    return least < curve->most ? least : curve->most;
}

union ssimcu_curve_number {
    float value;
    int32_t bits;
};

/* Returns the value of a sample as a whole number. The sum with 1.5 * 2^23 rounds it. */
static inline int32_t ssimcu_curve_at(const struct ssimcu_curve *curve, float sample)
{
    const float x = ssimcu_curve_clamp(curve, sample);
    const union ssimcu_curve_number number = {x};
    const int32_t place = (number.bits >> SSIMCU_CURVE_MANTISSA) - curve->first;
    const struct ssimcu_curve_piece *p = &curve->piece[(place > 0 ? place : 0) + (x > curve->kink)];
    /* the rest of the mantissa, as a number from 1 to 2 */
    const union ssimcu_curve_number rest = {
        .bits = (number.bits & ((1 << SSIMCU_CURVE_MANTISSA) - 1)) << (23 - SSIMCU_CURVE_MANTISSA) |
                0x3f800000};
    const float inside = rest.value * 2 - 3, below = x * curve->below - 1;
    const float t = place > 0 ? inside : below;
    float value = SSIMCU_LIGHT_FMA(p->power[3], t, p->power[2]);
    value = SSIMCU_LIGHT_FMA(value, t, p->power[1]);
    value = SSIMCU_LIGHT_FMA(value, t, p->power[0]);
    const union ssimcu_curve_number sum = {SSIMCU_LIGHT_FMA(value, t, p->base) + 0x1.8p23f};
    return p->fixed + (sum.bits - 0x4b400000);
}

/* Returns the same for a sample that is no float, in plane units. */
static inline double ssimcu_curve_exact(const struct ssimcu_curve *curve, double sample)
{
    const double most = (double)curve->most, least = sample > 0 && sample <= FLT_MAX ? sample : 0;
    const double x = least < most ? least : most;
    const union ssimcu_curve_number number = {(float)x};
    const int32_t place = number.bits >> SSIMCU_CURVE_MANTISSA, piece = place - curve->first;
    const union ssimcu_curve_number from = {.bits = place * (1 << SSIMCU_CURVE_MANTISSA)},
                                    to = {.bits = (place + 1) * (1 << SSIMCU_CURVE_MANTISSA)};
    const double start = (double)from.value, width = (double)to.value - start;
    const double t = piece > 0 ? 2 * (x - start) / width - 1 : x * (double)curve->below - 1;
    const struct ssimcu_curve_piece *p =
        &curve->piece[(piece > 0 ? piece : 0) + (number.value > curve->kink)];
    double value = (double)p->power[3];
    for (int i = 2; i >= 0; i--) value = value * t + (double)p->power[i];
    return (value * t + (double)p->base + p->fixed) / (double)SSIMCU_FIXED_ONE;
}

#endif
