/* Bytes of a frame's sample, from its bits, and what a half is, both ways. */
#ifndef SSIMCU_SAMPLE_SIZE_H
#define SSIMCU_SAMPLE_SIZE_H

#include "ssimcu.h"

#include <math.h>

static inline size_t ssimcu_sample_size(uint32_t bits)
{
    return ((bits & ~(uint32_t)SSIMCU_BITS_FLOAT) + 7) / 8;
}

/* Returns the value of a float of 16 bits. */
static inline float ssimcu_half_value(uint16_t half)
{
    const int exponent = half >> 10 & 31, mantissa = half & 1023;
    const float size = exponent == 31  ? (mantissa ? NAN : INFINITY)
                       : exponent == 0 ? ldexpf((float)mantissa, -24)
                                       : ldexpf((float)(mantissa + 1024), exponent - 25);
    return half >> 15 ? -size : size;
}

/* Returns the nearest float of 16 bits, of two the even one. What is beyond the largest becomes
 * infinite. */
static inline uint16_t ssimcu_half_of(float value)
{
    const float least = 0x1p-14f; /* a half below is a whole number of 2^-24, as is an ulp of
                                     0.5 */
    union {
        float value;
        uint32_t bits;
    } number = {value}, shifted;
    const uint16_t sign = (uint16_t)(number.bits >> 16 & 0x8000);
    number.bits &= 0x7fffffff;
    if (number.bits > 0x7f800000) return sign | 0x7e00;
    if (number.bits >= 0x477ff000) return sign | 0x7c00;
    if (number.value >= least)
        return (uint16_t)(sign |
                          (number.bits - 0x38000000 + 0xfff + (number.bits >> 13 & 1)) >> 13);
    shifted.value = number.value + 0.5f;
    return (uint16_t)(sign | (shifted.bits - 0x3f000000));
}

#endif
