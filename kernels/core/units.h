/* The planes' unit: the samples' unit times a power of two, which rounds nothing. The CPU and the
 * GPU both include this file. */
#pragma once

#include <math.h>

/* Returns the power of two that moves a white above 0 into (127.5, 255]. The squares of such
 * samples are f16 numbers on the tensor cores; those of 256 would not be. */
static inline double ssimcu_unit_for(double white)
{
    int exponent;
    const double mantissa = frexp(white, &exponent);
    return ldexp(1, (mantissa > 255.0 / 256 ? 7 : 8) - exponent);
}
