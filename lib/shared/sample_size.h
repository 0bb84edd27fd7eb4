/* Bytes of a frame's sample, from its bits, and what a half is. */
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

#endif
