/* Constants of SSIMULACRA2 v2.1, which the CPU and the GPU both read (ssimcu_metric). */
#pragma once

#include "core/divide_up.h"

enum {
    SSIMCU_S2_SCALES = 6,
    SSIMCU_S2_CHANNELS = 3, /* X, Y, B - Y */
    SSIMCU_S2_SUMS = 6,     /* sums of the three maps over a scale's pixels: ssim, artefact and lost
                               detail, each followed by its sum of fourth powers */
    SSIMCU_S2_LEAST = 8,    /* pixels of a side of the last scale */
    SSIMCU_S2_RADIUS = 4
};

/* The nine taps of the blur, from the first to the middle: the impulse response of the recursive
 * filter of sigma 1.5. A test recomputes them. */
#define SSIMCU_S2_TAPS                                                                             \
    {                                                                                              \
        0.009414367809653691, 0.03601111465836436, 0.1093353727774603, 0.21292859201042222,        \
            0.26462110548819856                                                                    \
    }

#define SSIMCU_S2_C2 0.0009

/* Linear light to cone responses. The bias is added to each. */
#define SSIMCU_S2_BIAS 0.0037930732552754493
#define SSIMCU_S2_BIAS_ROOT 0.15595420054924863 /* its cube root */
#define SSIMCU_S2_OPSIN                                                                            \
    {                                                                                              \
        {0.30, 0.622, 0.078}, {0.23, 0.692, 0.078},                                                \
        {                                                                                          \
            0.24342268924547819, 0.20476744424496821, 0.55180986650955360                          \
        }                                                                                          \
    }

/* Positive XYB of the roots l, m, s is
 *   X = 7 (l - m) + 0.42,  Y = (l + m) / 2 - root + 0.01,  B = s - (l + m) / 2 + 0.55. */

/* Returns the number of scales of a frame whose sides are at least SSIMCU_S2_LEAST. Each scale is
 * half of the one before, rounded up. */
static inline int ssimcu_s2_scales(int width, int height)
{
    int scales = 1;
    while (scales < SSIMCU_S2_SCALES && width >= SSIMCU_S2_LEAST && height >= SSIMCU_S2_LEAST) {
        width = ssimcu_half(width);
        height = ssimcu_half(height);
        scales++;
    }
    return scales;
}
