/* The colours of ssimulacra2: sRGB to linear light to XYB. */
#include "ssimulacra2.h"

#include <math.h>
#include <string.h>

#define ABSORBANCE_BIAS 0.0037930732552754493f

static float evaluate(const float coefficient[5], float x)
{
    float value = coefficient[4];
    for (int i = 3; i >= 0; i--) value = ssimcu_compat_multiply_add(value, x, coefficient[i]);
    return value;
}

float ssimcu_compat_linear(float encoded)
{
    static const float numerator[5] = {2.200248328e-04f, 1.043637593e-02f, 1.624820318e-01f,
                                       7.961564959e-01f, 8.210152774e-01f};
    static const float denominator[5] = {2.631846970e-01f, 1.076976492e+00f, 4.987528350e-01f,
                                         -5.512498495e-02f, 6.521209011e-03f};
    const float x = fabsf(encoded);
    const float linear =
        x > 0.04045f ? evaluate(numerator, x) / evaluate(denominator, x) : x * (1.0f / 12.92f);
    return copysignf(linear, encoded);
}

/* Returns the cube root of x, 0 or more, plus a number. A guess from the exponent is refined. */
static float cube_root_and_add(float x, float add)
{
    uint32_t bits;
    float r;
    memcpy(&bits, &x, sizeof bits);
    bits = bits == 0 ? 0 : 0x54800000u - (bits >> 23) * 0x002AAAAAu;
    memcpy(&r, &bits, sizeof r);
    const float third = (1.0f / 3) * x;
    for (int i = 0; i < 3; i++) {
        const float square = r * r;
        r = ssimcu_compat_multiply_add(-third, square * square, (4.0f / 3) * r);
    }
    const float square = r * r;
    r = ssimcu_compat_multiply_add(1.0f / 3, ssimcu_compat_multiply_add(-x, square * square, r), r);
    return ssimcu_compat_multiply_add(r * r, x, add);
}

/* Returns a cone's response: the cube root of a mix of colours. */
static float respond(const float mix[3], float r, float g, float b)
{
    const float blue = ssimcu_compat_multiply_add(mix[2], b, ABSORBANCE_BIAS);
    const float light =
        ssimcu_compat_multiply_add(mix[0], r, ssimcu_compat_multiply_add(mix[1], g, blue));
    return cube_root_and_add(light > 0 ? light : 0, -cbrtf(ABSORBANCE_BIAS));
}

void ssimcu_compat_xyb_row(const float *const rgb[3], float *const xyb[3], uint32_t width)
{
    const float s_red = 0.24342268924547819f, s_green = 0.20476744424496821f;
    const float mix[3][3] = {{0.30f, 1.0f - 0.078f - 0.30f, 0.078f},
                             {0.23f, 1.0f - 0.078f - 0.23f, 0.078f},
                             {s_red, s_green, 1.0f - s_red - s_green}};
    for (uint32_t x = 0; x < width; x++) {
        const float r = rgb[0][x], g = rgb[1][x], b = rgb[2][x];
        const float l = respond(mix[0], r, g, b), m = respond(mix[1], r, g, b);
        const float luma = 0.5f * (l + m);
        xyb[0][x] = 0.5f * (l - m) * 14 + 0.42f;
        xyb[1][x] = luma + 0.01f;
        xyb[2][x] = respond(mix[2], r, g, b) - luma + 0.55f;
    }
}
