#include "number/light.h"

#include <string.h>

enum { NODES = 5 };

/* A curve in double, with its start, end and kink in samples. */
struct shape {
    const struct ssimcu_light_rule *light;
    double unit, first, kink, most;
};

static double srgb(double v, int is_bright)
{
    return is_bright ? 1.055 * pow(v, 1 / 2.4) - 0.055 : 12.92 * v;
}

/* Returns the filmic curve of light as a share of white. */
static double filmic(double light)
{
    const double white = 11.2, x[2] = {light * 1.758141, white};
    double value[2];
    for (int i = 0; i < 2; i++)
        value[i] = x[i] * (0.22 * (29.0 / 30) * x[i] + 0.02) / (x[i] * (0.22 * x[i] + 0.3) + 0.06);
    return value[0] / value[1];
}

/* The curve extends below its end, because the piece around it has nodes on both sides. */
static double pu21(double nits, int is_bright)
{
    const double y = pow(is_bright ? nits : 0.005, 0.9062562627);
    const double ratio = (0.353487901 + 0.3734658629 * y) / (1 + 8.277049286e-05 * y);
    const double code = 596.3148142 * (pow(ratio, 0.09150303166) - 0.9099517204) / 256;
    return is_bright || code > 0 ? code : 0;
}

double ssimcu_curve_gain(const struct ssimcu_light_rule *light)
{
    return (double)light->gain + (double)light->gain_rest;
}

/* Returns the value of a sample on one side of the kink. */
static double value_of(const struct shape *shape, double sample, int is_bright)
{
    const double v = sample * ssimcu_curve_gain(shape->light);
    switch (shape->light->transfer) {
    case SSIMCU_LIGHT_SRGB: return srgb(v, is_bright) * shape->unit;
    case SSIMCU_LIGHT_PU21: return pu21(v * (double)shape->light->nits, is_bright) * shape->unit;
    default: return srgb(filmic(v), is_bright) * shape->unit;
    }
}

/* Returns the light whose filmic value is `value`, by bisection. */
static double filmic_inverse(double value)
{
    double low = 0, high = 1;
    for (int i = 0; i < 60; i++) {
        const double middle = (low + high) / 2;
        *(filmic(middle) < value ? &low : &high) = middle;
    }
    return low;
}

/* Sets the positions in light; the piece below `first` is a line or a constant. */
static void set_places(struct shape *shape)
{
    const double nits = (double)shape->light->nits;
    switch (shape->light->transfer) {
    case SSIMCU_LIGHT_SRGB: shape->first = 0x1p-10, shape->kink = 0.0031308, shape->most = 1; break;
    case SSIMCU_LIGHT_PU21:
        shape->first = shape->kink = 0.005 / nits, shape->most = 10000 / nits;
        break;
    default:
        shape->first = 0x1p-10;
        shape->kink = filmic_inverse(0.0031308);
        shape->most = 11.2 / 1.758141;
    }
    const double gain = ssimcu_curve_gain(shape->light);
    shape->first /= gain, shape->kink /= gain, shape->most /= gain;
}

/* Makes a polynomial piece through NODES points of [from, to). */
static struct ssimcu_curve_piece make_piece(const struct shape *shape, double from, double to,
                                            int is_bright)
{
    const double centre = (from + to) / 2, half = (to - from) / 2;
    double t[NODES], y[NODES], power[NODES] = {0};
    for (int i = 0; i < NODES; i++) {
        t[i] = cos((2 * i + 1) * 3.14159265358979323846 / (2 * NODES));
        y[i] = value_of(shape, centre + half * t[i], is_bright) * (double)SSIMCU_FIXED_ONE;
    }
    for (int k = 1; k < NODES; k++) /* divided differences */
        for (int i = NODES - 1; i >= k; i--) y[i] = (y[i] - y[i - 1]) / (t[i] - t[i - k]);
    for (int k = NODES - 1; k >= 0; k--) { /* Newton's form to powers */
        for (int i = NODES - 1; i > 0; i--) power[i] = power[i - 1] - t[k] * power[i];
        power[0] = y[k] - t[k] * power[0];
    }
    const double fixed = nearbyint(power[0]);
    return (struct ssimcu_curve_piece){
        {(float)power[1], (float)power[2], (float)power[3], (float)power[4]},
        (float)(power[0] - fixed),
        (int32_t)fixed};
}

static int32_t place_of(float sample)
{
    int32_t bits;
    memcpy(&bits, &sample, sizeof bits);
    return bits >> SSIMCU_CURVE_MANTISSA;
}

static double start_of(int32_t place)
{
    const int32_t bits = place << SSIMCU_CURVE_MANTISSA;
    float sample;
    memcpy(&sample, &bits, sizeof sample);
    return (double)sample;
}

/* Shifts a piece so that it has exactly the right integer at an end of the curve. */
static void set_end(const struct shape *shape, const struct ssimcu_curve_range *range,
                    const struct ssimcu_curve_piece *all, struct ssimcu_curve_piece *piece,
                    float sample)
{
    const double end = sample > 0 ? shape->most : 0,
                 wanted = rint(value_of(shape, end, sample > 0) * (double)SSIMCU_FIXED_ONE),
                 value = ssimcu_curve_exact(range, all, (double)sample) * (double)SSIMCU_FIXED_ONE;
    piece->base = (float)((double)piece->base + wanted - value);
}

void ssimcu_curve_make(struct ssimcu_curve *curve, const struct ssimcu_light_rule *light,
                       float unit)
{
    if (curve->unit == unit && memcmp(&curve->light, light, sizeof *light) == 0) return;
    struct shape shape = {.light = &curve->light, .unit = (double)unit};
    curve->light = *light;
    curve->unit = unit;
    set_places(&shape);
    curve->range.most = (float)shape.most;
    curve->range.kink = (float)shape.kink;
    curve->range.first = place_of((float)shape.first) - 1;
    const int32_t last = place_of(curve->range.most), kink = place_of(curve->range.kink);
    struct ssimcu_curve_piece *piece = curve->piece;
    const double first = start_of(curve->range.first + 1);
    curve->range.below = (float)(2 / first);
    *piece++ = make_piece(&shape, 0, first, 0);
    for (int32_t place = curve->range.first + 1; place <= last; place++) {
        const double from = start_of(place), to = start_of(place + 1);
        *piece++ = make_piece(&shape, from, to, place > kink);
        if (place == kink) *piece++ = make_piece(&shape, from, to, 1);
    }
    set_end(&shape, &curve->range, curve->piece, curve->piece, 0);
    set_end(&shape, &curve->range, curve->piece, piece - 1, curve->range.most);
}

/* Curves are increasing, so bisection finds the light. */
double ssimcu_curve_light(const struct ssimcu_light_rule *light, double code)
{
    struct ssimcu_light_rule unscaled = *light;
    unscaled.gain = 1, unscaled.gain_rest = 0;
    struct shape shape = {.light = &unscaled, .unit = 1};
    set_places(&shape);
    double low = 0, high = shape.most;
    for (int i = 0; i < 100; i++) {
        const double middle = (low + high) / 2;
        *(value_of(&shape, middle, middle > shape.kink) < code ? &low : &high) = middle;
    }
    return low;
}
