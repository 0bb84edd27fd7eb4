/* The caller's map and tiles: checked against what a plan would write, and written. */
#ifndef SSIMCU_OUTPUTS_H
#define SSIMCU_OUTPUTS_H

#include "plan/plan.h"

/* Fills in all of the caller's map except its data, and columns and rows of the tiles. Each may be
 * NULL.
 * Errors: ARGUMENT, TOO_SMALL (the pair has no map). */
ssimcu_status ssimcu_outputs_lay_out(const struct ssimcu_plan *plan, ssimcu_map *map,
                                     ssimcu_tiles *tiles, ssimcu_message *message);

/* The caller's memory for scores, shifts and features of tiles; each may be NULL. */
struct ssimcu_tiles_memory {
    double *score, *shift, *feature[SSIMCU_FEATURES];
};

/* Check that the caller's map or tiles have the plan's shape and room, and return their memory. It
 * is NULL if there is no map or no tiles.
 * Errors: ARGUMENT, TOO_SMALL (the pair has no map). */
ssimcu_status ssimcu_outputs_map(const struct ssimcu_plan *plan, const ssimcu_map *map,
                                 float **data, ssimcu_message *message);
ssimcu_status ssimcu_outputs_tiles(const struct ssimcu_plan *plan, const ssimcu_tiles *tiles,
                                   struct ssimcu_tiles_memory *memory, ssimcu_message *message);

/* Copies the numbers of the tiles of a pair, or of the planes of a frame, to the caller's memory,
 * and sets the worst tile and the largest shift of a score. means[p] are those of plane p
 * (ssimcu_plan_means). Planes are joined by the areas of their tiles. */
void ssimcu_outputs_write(const struct ssimcu_plan *plan, const double *const *means,
                          uint32_t planes, const struct ssimcu_tiles_memory *memory,
                          ssimcu_score *score);

#endif
