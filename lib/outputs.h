/* The caller's map and tiles against what a plan would write. */
#ifndef SSIMCU_OUTPUTS_H
#define SSIMCU_OUTPUTS_H

#include "plan.h"

/* Fills in all of the caller's map but its data, and columns and rows of the tiles. Each may be
 * NULL. Errors: ARGUMENT. */
ssimcu_status ssimcu_outputs_lay_out(const struct ssimcu_plan *plan, ssimcu_map *map,
                                     ssimcu_tiles *tiles, ssimcu_message *message);

/* Checks that they have that shape and room, and says where. NULL where there is none.
 * Errors: ARGUMENT. */
ssimcu_status ssimcu_outputs_map(const struct ssimcu_plan *plan, const ssimcu_map *map,
                                 float **data, ssimcu_message *message);
ssimcu_status ssimcu_outputs_tiles(const struct ssimcu_plan *plan, const ssimcu_tiles *tiles,
                                   double **data, ssimcu_message *message);

#endif
