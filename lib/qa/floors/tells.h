/* What all tiles of a frame tell together that none tells by itself.
 *
 * In a frame like those that were accepted, z is about 0 for half of the tiles, whatever single
 * tiles have: 900 held-out renders of three scenes had medians from -0.5 to 0.6. So most tiles tell
 * of the whole frame, by their z (floors.h) with its sign. Of "shift" its size counts.
 *
 *     word       score   shift   difference   texture
 *     noise      < -0.5  < 2.5   > 2          > 2      noise twice as strong had it on three scenes
 *     denoised   > 0.5   < 2.5   < 0.5        < -2     a blur that only noise is lost to has it too
 *     alike      within 1.5, each of the four
 *
 * A frame that is sharpened has the numbers of noise.
 *
 * Less than that is told by what all tiles add up to, as in the rules of the whole frame. Of all
 * but "shift", 75 % of the tiles must lie on the sum's side (bench/calibrate/hints.py):
 *
 *     word       score   shift                   difference   texture
 *     noise      < -4    < half the difference   > 7          > 5
 *     denoised   > 3     < 4                     < -5         < -4
 *
 * Noise has more of the score than of the texture, or a difference above 12: what is sharpened a
 * little has neither. */
#ifndef SSIMCU_QA_FLOOR_TELLS_H
#define SSIMCU_QA_FLOOR_TELLS_H

#include "floors/floors.h"

/* Returns what most tiles of a frame tell. The arguments are those of floor_judge. */
enum floor_tells floor_tell(const struct floor_frame *floor, const struct floor_values *values,
                            const unsigned char *ignored);

#endif
