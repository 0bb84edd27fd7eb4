/* The unit of samples in the planes: a power of two of their own, which rounds nothing. The CPU and
 * the GPU both include this file. */
#ifndef SSIMCU_CORE_UNITS_H
#define SSIMCU_CORE_UNITS_H

#include <math.h>

/* Returns the power of two that takes a white above 0 into (127.5, 255]. The squares of such
 * samples are f16 numbers on the tensor cores, those of 256 would not be. */
static inline double ssimcu_unit_for(double white)
{
    int exponent;
    const double mantissa = frexp(white, &exponent);
    return ldexp(1, (mantissa > 255.0 / 256 ? 7 : 8) - exponent);
}

#endif
