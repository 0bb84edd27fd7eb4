/* Converts one interleaved pixel to plane values. All steps but the last are in integers, so that
 * the CPU and the GPU agree to the last bit. Both include this file.
 *
 * A pixel takes these steps, except those that its frame does not need:
 *   widen       8-bit samples to 16 bits (v * 257), when the other frame has 16
 *   composite   v*a + background*(1-a), exact: kept as a fraction over the peak
 *   luma        (wR R + wG G + wB B) / 10000 rounded to the whole sample
 *   unit        to units of the planes, in which both frames have one white (lib/plan/units.c)
 */
#pragma once

#include <stdint.h>

#ifdef __CUDACC__
#    define SSIMCU_HOST_DEVICE __host__ __device__ __forceinline__
#else
#    define SSIMCU_HOST_DEVICE static inline
#endif

/* How float samples that are linear light are treated; see core/light.h. */
struct ssimcu_light_rule {
    uint32_t on;       /* 0: floats are scored unchanged, and the other fields are unused */
    uint32_t transfer; /* the public enum ssimcu_transfer */
    uint32_t nan_zero; /* samples that are not finite count as 0 */
    float gain;        /* factor from a sample to light whose white is 1, ... */
    float gain_rest;   /* ... and the rest that a float of it loses; a curve uses both */
    float nits;        /* PU21: cd/m2 of white */
    uint32_t counted;  /* unusual samples are counted: it is on, or the range is checked */
    uint32_t ranged;   /* without a transfer samples beyond 0 to 1 are unusual */
};

/* How every pixel of one frame is treated. */
struct ssimcu_pixel_rule {
    uint32_t channels; /* interleaved channels of the source, 1 to 4; 2 and 4 end in alpha */
    uint32_t planes;   /* planes that are written, 1 or 3; a grey source fills three with the same
                          values */
    uint32_t bits;     /* bits of a source sample, 8 to 16; bytes hold 8, 16-bit words hold more */
    uint32_t peak;     /* peak of the comparison, 2^bits - 1 */
    uint32_t low_bits; /* zero bits below a whole sample: 6 for 10 bits in the upper ones of 16 */
    uint32_t widen;    /* factor: 257 for an 8-bit source compared at 16 bits, else 1 */
    uint32_t alpha;    /* nonzero: composite over `background` */
    uint32_t background;
    double back_light;  /* the same for light, in float samples before their gain */
    uint32_t as_floats; /* composite integers as floats: the other side has floats, in units that
                           round both */
    double white;       /* in plane units */
    double opaque; /* factor from a float alpha to opacity, 1 / the view's peak; in double, because
                      1 - alpha keeps the digits that a float loses */
    uint32_t luma[3]; /* weights in 1/10000; all 0 when there is no luma step */
    float unit;       /* factor to plane units of an integer, of a float without a curve, and of the
                         1 of a curve */
    struct ssimcu_light_rule light;
};

/* Composites a pixel and computes its luma in 64 bits, as doubles. value[] is a fraction over
 * `over`, which is the peak after compositing, else 1. */
SSIMCU_HOST_DEVICE void ssimcu_pixel_convert_exactly(const struct ssimcu_pixel_rule *rule,
                                                     const uint32_t *sample, double *plane)
{
    const uint64_t alpha = rule->alpha ? (uint64_t)sample[rule->channels - 1] * rule->widen : 0;
    const uint32_t over = rule->alpha ? rule->peak : 1;
    uint64_t value[3];
    for (uint32_t c = 0; c < 3; c++) {
        value[c] = (uint64_t)sample[rule->channels >= 3 ? c : 0] * rule->widen;
        if (rule->alpha) value[c] = value[c] * alpha + rule->background * (rule->peak - alpha);
    }
    if (rule->luma[1]) {
        const uint64_t ten_thousand = (10000ull << rule->low_bits) * over;
        const uint64_t sum =
            rule->luma[0] * value[0] + rule->luma[1] * value[1] + rule->luma[2] * value[2];
        const uint32_t luma = (uint32_t)((2 * sum + ten_thousand) / (2 * ten_thousand));
        plane[0] = (luma << rule->low_bits) * (double)rule->unit;
        return;
    }
    for (uint32_t c = 0; c < 3; c++)
        if (c < rule->planes) plane[c] = (double)value[c] * (double)rule->unit / over;
}

/* Returns the luma of fractional colours. */
SSIMCU_HOST_DEVICE double ssimcu_pixel_luma(const struct ssimcu_pixel_rule *rule,
                                            const double *value)
{
    return (rule->luma[0] * value[0] + rule->luma[1] * value[1] + rule->luma[2] * value[2]) /
           10000.0;
}

/* Converts one pixel: `sample` holds rule->channels values, `plane` receives rule->planes. The
 * loops run to a constant with a condition inside, so that a GPU keeps the arrays in registers. */
SSIMCU_HOST_DEVICE void ssimcu_pixel_convert(const struct ssimcu_pixel_rule *rule,
                                             const uint32_t *sample, float *plane)
{
    if (rule->alpha || rule->luma[1]) {
        double exact[3] = {0};
        ssimcu_pixel_convert_exactly(rule, sample, exact);
        for (uint32_t c = 0; c < 3; c++)
            if (c < rule->planes) plane[c] = (float)exact[c];
        return;
    }
    for (uint32_t c = 0; c < 3; c++)
        if (c < rule->planes)
            plane[c] = (float)(sample[rule->channels >= 3 ? c : 0] * rule->widen) * rule->unit;
}
