/* The worst tile and the largest shift of a pair or of the planes of a frame. */
#ifndef SSIMCU_WORST_H
#define SSIMCU_WORST_H

#include "plan/plan.h"

/* Returns the tile with the lowest score, the first of equals; all zeros if the plans have no
 * tiles. means[p] are the numbers of the tiles of plane p (ssimcu_plan_means). Planes are joined by
 * the areas of their tiles. `all_are_1`: the frame's score is 1; if it is not, nor is that of the
 * worst tile. */
ssimcu_tile ssimcu_worst_tile(const struct ssimcu_plan *plan, const double *const *means,
                              uint32_t planes, int all_are_1);

/* Returns the largest shift of a tile in one channel, up or down, the first of equals, in the order
 * of planes; all zeros if the plans have no tiles. `means` as above. */
ssimcu_tile_shift ssimcu_largest_shift(const struct ssimcu_plan *plan, const double *const *means,
                                       uint32_t planes);

#endif
