/* Cuts the columns of a frame into strips for ssim_fma.cu, one per warp. This is host code.
 *
 * A strip costs its rows and the rows above and below that its windows reach, so few tall strips do
 * the least work. But blocks come in waves, as many as the GPU holds at a time, and a wave that is
 * not full leaves it partly idle. On an H200, a wave filled to the fraction p takes 0.3 + 0.7 p of
 * a full wave's time. The cut depends only on the frame's size, not on the GPU or the batch, so
 * that a score has the same bits everywhere.
 */
#pragma once

#include "ssim/run.h"

namespace ssimcu
{

constexpr int SMS = 132;           /* SMs of the GPU that the cut fits */
constexpr double EMPTY_WAVE = 0.3; /* the fraction of a full wave's time that any wave takes */

/* Returns the best number of strips down a column of `units`. Each strip reads `extra` units more.
 * `abreast` blocks lie side by side in a frame. A wave has `wave` blocks, and a strip at most
 * `tallest` units. */
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
