/* The constants of the score, which the CPU and the GPU both read here.
 *
 * Planes hold samples in units that put white, L, above 127.5 and up to 255, whatever the frame's
 * depth (lib/plan/units.h). With a curve, the range is half of that. SSIM does not change when
 * samples, L, C1 and C2 scale together.
 */
#pragma once

enum {
    SSIMCU_TAPS = 11,        /* window side */
    SSIMCU_RADIUS = 5,       /* window side / 2 */
    SSIMCU_MAX_CHANNELS = 3, /* scored planes of a pair */
    SSIMCU_MS_SCALES = 5     /* of MS-SSIM */
};

#define SSIMCU_PEAK 255.0 /* L of bytes */
#define SSIMCU_C1(white) (0.01 * (white)*0.01 * (white))
#define SSIMCU_C2(white) (0.03 * (white)*0.03 * (white))

/* exp(-(i - 5)^2 / (2 * 1.5^2)), divided by the sum of the eleven. A test recomputes them. */
#define SSIMCU_GAUSSIAN                                                                            \
    {                                                                                              \
        0.00102838008447911, 0.007598758135239185, 0.03600077212843083, 0.10936068950970002,       \
            0.2130055377112537, 0.26601172486179436, 0.2130055377112537, 0.10936068950970002,      \
            0.03600077212843083, 0.007598758135239185, 0.00102838008447911                         \
    }

/* Returns the number of windows along a side of so many pixels. */
static inline int ssimcu_ssim_positions(int side, int zero_pad)
{
    return zero_pad ? side : side - 2 * SSIMCU_RADIUS;
}
