/* Checks the caller's map and tiles against a plan, and writes them. */
#pragma once

#include "plan/plan.h"

/* Fills in all of the caller's map except its data, and columns and rows of the tiles. Each may be
 * NULL.
 * Errors: ARGUMENT, TOO_SMALL (the pair has no map). */
ssimcu_status ssimcu_outputs_lay_out(const struct ssimcu_plan *plan, ssimcu_map *map,
                                     ssimcu_tiles *tiles, ssimcu_message *message);

/* The caller's memory for scores, level shifts and features of tiles; each may be NULL. */
struct ssimcu_tiles_memory {
    double *score, *level_shift, *feature[SSIMCU_FEATURES];
};

/* Check that the caller's map or tiles have the plan's shape and room, and return their memory. It
 * is NULL if there is no map or no tiles.
 * Errors: ARGUMENT, TOO_SMALL (the pair has no map). */
ssimcu_status ssimcu_outputs_map(const struct ssimcu_plan *plan, const ssimcu_map *map,
                                 float **data, ssimcu_message *message);
ssimcu_status ssimcu_outputs_tiles(const struct ssimcu_plan *plan, const ssimcu_tiles *tiles,
                                   struct ssimcu_tiles_memory *memory, ssimcu_message *message);

/* Copies the values of the tiles of a pair, or of the planes of a frame, to the caller's memory.
 * Sets the worst tile and the largest level shift of a score. means[p] are those of plane p
 * (ssimcu_plan_means). Planes are joined by the areas of their tiles. */
void ssimcu_outputs_write(const struct ssimcu_plan *plan, const double *const *means,
                          uint32_t planes, const struct ssimcu_tiles_memory *memory,
                          ssimcu_score *score);
