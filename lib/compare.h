/* Checks of a pair's results that the host's and the device's entries share. */
#ifndef SSIMCU_COMPARE_H
#define SSIMCU_COMPARE_H

#include "backend.h"

/* The grid of a caller's tiles over this shape; without a grid when theirs is NULL.
 * Errors: ARGUMENT. */
ssimcu_status ssimcu_tiles_grid(const ssimcu_tiles *theirs, const struct ssimcu_shape *shape,
                                struct ssimcu_tile_grid *grid, ssimcu_message *message);

/* That the caller's tiles are those of the grid, with room for the means, which *data is set to.
 * Errors: ARGUMENT. */
ssimcu_status ssimcu_tiles_check(const ssimcu_tiles *theirs, const struct ssimcu_tile_grid *grid,
                                 double **data, ssimcu_message *message);

#endif
