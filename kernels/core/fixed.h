/* Plane units as 32-bit whole multiples of 2^-21. A float of a computed value has too few digits.
 * Near white, its last place is 1.5e-5 of 256, and a tenth of that changes a score of faint
 * contrast. Whole numbers are subtracted before any rounding. The CPU and the GPU both include this
 * file.
 *
 * BOUNDED. White is at most 255, and 128 under a curve. PU21's end lies at 2.33 times white.
 * Integers above their peak end at SSIMCU_FIXED_MOST. So sums of two values fit 32 bits.
 *
 * UNBOUNDED. Floats without a curve may have any value. From 256 plane units on, a number stands
 * for a float. It is SSIMCU_FIXED_LARGE plus the float's bits minus those of 256, with the float's
 * sign. */
#pragma once

#include "core/pixel.h"

#include <math.h>

#define SSIMCU_FIXED_ONE 0x1p21f     /* steps per plane unit */
#define SSIMCU_FIXED_MOST 511.0f     /* plane units */
#define SSIMCU_FIXED_LARGE (1 << 29) /* 256 plane units */
#define SSIMCU_FIXED_SMALL 256.0f
#define SSIMCU_FIXED_BITS 0x43800000 /* the bits of 256.0f */

union ssimcu_fixed_number {
    float value;
    int32_t bits;
};

/* Returns a value in plane units, 0 and above, as a whole number. */
SSIMCU_HOST_DEVICE int32_t ssimcu_fixed(double value)
{
    const double most = (double)SSIMCU_FIXED_MOST;
    return (int32_t)((value < most ? value : most) * (double)SSIMCU_FIXED_ONE + 0.5);
}

/* Does the same for any value, and for NaN, in the unbounded form. */
SSIMCU_HOST_DEVICE int32_t ssimcu_fixed_any(double value)
{
    const union ssimcu_fixed_number number = {fabsf((float)value)};
    if (number.value < SSIMCU_FIXED_SMALL) return (int32_t)rint(value * (double)SSIMCU_FIXED_ONE);
    const int32_t magnitude = SSIMCU_FIXED_LARGE + (number.bits - SSIMCU_FIXED_BITS);
    return value < 0 ? -magnitude : magnitude;
}

/* Returns whether a number of the unbounded form stands for a float. */
SSIMCU_HOST_DEVICE int ssimcu_fixed_is_large(int32_t fixed)
{
    return fixed >= SSIMCU_FIXED_LARGE || fixed <= -SSIMCU_FIXED_LARGE;
}

/* Returns the float that a large number stands for. */
SSIMCU_HOST_DEVICE float ssimcu_fixed_large(int32_t fixed)
{
    union ssimcu_fixed_number number;
    number.bits = (fixed < 0 ? -fixed : fixed) - SSIMCU_FIXED_LARGE + SSIMCU_FIXED_BITS;
    return fixed < 0 ? -number.value : number.value;
}

/* Returns a number of the unbounded form in plane units, rounded to a float. */
SSIMCU_HOST_DEVICE float ssimcu_fixed_float(int32_t fixed)
{
    return ssimcu_fixed_is_large(fixed) ? ssimcu_fixed_large(fixed)
                                        : (float)fixed * (1 / SSIMCU_FIXED_ONE);
}
