/* How ssim_fma.cu cuts the columns of a frame into strips, one per warp. This is host code.
 *
 * A strip costs its rows, and those above and below that its windows reach, so few tall strips do
 * least work. But blocks come in waves of as many as the GPU holds, and a wave that is not full
 * leaves it idle. On an H200 a wave filled to the part p takes 0.3 + 0.7 p of a full one's time.
 * The cut depends on the frame's size alone, not on the GPU or the batch, so that a score has the
 * same bits everywhere.
 */
#ifndef SSIMCU_CUT_H
#define SSIMCU_CUT_H

#include "ssim/run.h"

namespace ssimcu
{

constexpr int SMS = 132;           /* SMs of the GPU that the cut fits */
constexpr double EMPTY_WAVE = 0.3; /* the part of a full wave's time that any wave takes */

/* Returns the best number of strips down a column of `units`, each of which reads `extra` units
 * more. `abreast` blocks of a frame are level with each other. A wave is `wave` blocks, a strip at
 * most `tallest` units. */
inline int best_strips(int units, int extra, double abreast, int wave, int tallest)
{
    int best = 1;
    double least = 0;
    const int fewest = (int)ssimcu_divide_up(units, tallest);
    for (int strips = fewest; strips <= units && strips < 8 * fewest + 32; strips++) {
        const double waves = strips * abreast / wave, part = waves - (int64_t)waves;
        const double cost =
            (ssimcu_divide_up(units, strips) + extra) *
            ((double)(int64_t)waves + (part > 0 ? EMPTY_WAVE + (1 - EMPTY_WAVE) * part : 0));
        if (strips == fewest || cost < least) best = strips, least = cost;
    }
    return best;
}

} // namespace ssimcu

#endif
