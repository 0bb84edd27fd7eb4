/* The constants of the score, in the one place where the CPU and the GPU both read them.
 *
 * Planes hold samples in 8-bit units, 0 to 255, whatever the frame's depth. A sample v of peak L is
 * stored as 255 v / L, a 16-bit one as v / 257. SSIM does not change when samples, L, C1 and C2
 * scale together, so one pair of constants serves every depth. A 16-bit frame of v * 257 gives the
 * planes of the 8-bit frame of v to the last bit.
 */
#ifndef SSIMCU_CONTRACT_H
#define SSIMCU_CONTRACT_H

enum {
    SSIMCU_TAPS = 11,       /* window side */
    SSIMCU_RADIUS = 5,      /* window side / 2 */
    SSIMCU_MAX_CHANNELS = 3 /* planes that a pair is scored on */
};

#define SSIMCU_PEAK 255.0 /* L, in plane units */
#define SSIMCU_C1 (0.01 * SSIMCU_PEAK * 0.01 * SSIMCU_PEAK)
#define SSIMCU_C2 (0.03 * SSIMCU_PEAK * 0.03 * SSIMCU_PEAK)

/* exp(-(i - 5)^2 / (2 * 1.5^2)), divided by the sum of the eleven. A test recomputes them. */
#define SSIMCU_GAUSSIAN                                                                            \
    {                                                                                              \
        0.00102838008447911, 0.007598758135239185, 0.03600077212843083, 0.10936068950970002,       \
            0.2130055377112537, 0.26601172486179436, 0.2130055377112537, 0.10936068950970002,      \
            0.03600077212843083, 0.007598758135239185, 0.00102838008447911                         \
    }

/* Returns how many windows lie side by side in so many columns or rows. */
static inline int ssimcu_ssim_positions(int side, int zero_pad)
{
    return zero_pad ? side : side - 2 * SSIMCU_RADIUS;
}

#endif
