/* The noise of a frame, from all its tiles together; no single tile shows it.
 *
 * In a frame like the accepted ones, the median z of the tiles is about 0, whatever single tiles
 * have. 900 held-out renders of three scenes had medians from -0.5 to 0.6. So the signed z
 * (learned.h) of most tiles describes the whole frame. For level_shift, its size counts.
 *
 *     class      score   level_shift   difference   texture
 *     noise      < -0.5  < 2.5         > 2          > 2      noise twice as strong, three scenes
 *     denoised   > 0.5   < 2.5         < 0.5        < -2     also a blur that removes only noise
 *     alike      each of the four within 1.5
 *
 * A sharpened frame has the numbers of noise.
 *
 * Smaller changes show in the sums over all tiles, as in the rules of the whole frame. For all
 * rules but level_shift, 75 % of the tiles must lie on the sum's side (bench/calibrate/hints.py):
 *
 *     class      score   level_shift             difference   texture
 *     noise      < -4    < half the difference   > 7          > 5
 *     denoised   > 3     < 4                     < -5         < -4
 *
 * Noise also has a larger sum of the score than of the texture, or a difference above 12. A
 * slightly sharpened frame has neither. */
#pragma once

#include "learned/learned.h"

/* Returns the noise class of a frame. The arguments are those of learned_judge. */
enum noise_class noise_class_of(const struct learned_frame *learned,
                                const struct learned_values *values, const unsigned char *ignored);
