/* Checks of the caller's map and tiles against what a plan would write. */
#ifndef SSIMCU_OUTPUTS_H
#define SSIMCU_OUTPUTS_H

#include "plan.h"

/* Fills in all of the caller's map except its data, and columns and rows of the tiles. Each may be
 * NULL.
 * Errors: ARGUMENT. */
ssimcu_status ssimcu_outputs_lay_out(const struct ssimcu_plan *plan, ssimcu_map *map,
                                     ssimcu_tiles *tiles, ssimcu_message *message);

/* Check that the caller's map or tiles have the plan's shape and room, and return their memory in
 * *data. That is NULL if there is no map or no tiles.
 * Errors: ARGUMENT. */
ssimcu_status ssimcu_outputs_map(const struct ssimcu_plan *plan, const ssimcu_map *map,
                                 float **data, ssimcu_message *message);
ssimcu_status ssimcu_outputs_tiles(const struct ssimcu_plan *plan, const ssimcu_tiles *tiles,
                                   double **data, ssimcu_message *message);

#endif
