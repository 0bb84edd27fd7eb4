/* The size of a frame's samples, and conversion to and from half. */
#pragma once

#include "ssimcu.h"

#include <math.h>
#include <string.h>

static inline size_t ssimcu_sample_size(uint32_t bits)
{
    return ((bits & ~(uint32_t)SSIMCU_BITS_FLOAT) + 7) / 8;
}

/* Returns the value of a 16-bit float. */
static inline float ssimcu_half_value(uint16_t half)
{
    const int exponent = half >> 10 & 31, mantissa = half & 1023;
    const float size = exponent == 31  ? (mantissa ? NAN : INFINITY)
                       : exponent == 0 ? ldexpf((float)mantissa, -24)
                                       : ldexpf((float)(mantissa + 1024), exponent - 25);
    return half >> 15 ? -size : size;
}

/* Returns the value of a sample in memory: a float, or an integer as stored. */
static inline double ssimcu_sample_at(const void *from, uint32_t bits)
{
    float number;
    uint16_t word;
    if (bits <= 8) return *(const uint8_t *)from;
    if (bits == SSIMCU_BITS_F32) {
        memcpy(&number, from, sizeof number);
        return number;
    }
    memcpy(&word, from, sizeof word);
    return bits == SSIMCU_BITS_F16 ? (double)ssimcu_half_value(word) : word;
}

/* Returns the nearest 16-bit float, ties to even. Values beyond the largest become infinite. */
static inline uint16_t ssimcu_half_of(float value)
{
    const float least = 0x1p-14f; /* halves below are multiples of 2^-24, as is an ulp of 0.5 */
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
