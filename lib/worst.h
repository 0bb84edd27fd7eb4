/* The worst tile of a pair or of the planes of a frame. */
#ifndef SSIMCU_WORST_H
#define SSIMCU_WORST_H

#include "plan.h"

/* Returns the tile with the lowest score, the first of equals; all zeros if the plans have no
 * tiles. means[p] are the scores of the tiles of plane p. Planes are joined by the areas of their
 * tiles. `all_are_1`: the frame's score is 1; if it is not, nor is that of the worst tile. */
ssimcu_tile ssimcu_worst_tile(const struct ssimcu_plan *plan, const double *const *means,
                              uint32_t planes, int all_are_1);

#endif
