/* The values of a frame's tiles, made of what the core measures in them. */
#ifndef SSIMCU_QA_FLOOR_VALUES_H
#define SSIMCU_QA_FLOOR_VALUES_H

#include "floors/floors.h"

/* Memory for what the core measures in the tiles of a pair. */
struct floor_tiles {
    uint32_t planes;              /* 1 to 3 */
    uint32_t width[3], height[3]; /* pixels of each plane */
    ssimcu_tiles tiles[3];        /* of each plane, laid out, for ssimcu_compare_views or _planes */
    double *memory;               /* own; all arrays of the tiles */
    uint32_t border;              /* pixels from the edge to the centre of the first window */
    bool plain;                   /* they have scores and shifts, but no features */
};

/* Lays out tiles of `tile` pixels for a pair, of which `ref` and `out` are the `planes` views, with
 * all features unless they are `plain`. Tiles of a smaller plane are smaller by as much, so that
 * they cover the same part of the picture. Errors: MEMORY; those of ssimcu_views_layout. */
ssimcu_status floor_tiles_make(ssimcu_context *context, const ssimcu_view *ref,
                               const ssimcu_view *out, uint32_t planes, uint32_t tile, bool plain,
                               struct floor_tiles *tiles, ssimcu_message *message);

/* Makes values of tiles that a comparison has filled in. `channels` are those of its score. Planes
 * have a channel each; a column or row that a smaller plane lacks has the values of the one before.
 * Returns false if memory runs out. */
bool floor_values_make(const struct floor_tiles *tiles, uint32_t channels,
                       struct floor_values *values);

/* Return the score of a tile, with the planes by their areas, and its pixels in plane p; 0: the
 * plane has no such tile. */
double floor_tile_score(const struct floor_tiles *tiles, uint32_t column, uint32_t row);
double floor_tile_pixels(const struct floor_tiles *tiles, uint32_t p, uint32_t column,
                         uint32_t row);

static inline uint32_t floor_least(uint32_t a, uint32_t b) { return a < b ? a : b; }

static inline uint32_t floor_divide_up(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

/* Returns the side of tiles in a plane of `own` pixels along it, where the first plane has `first`:
 * they cover the same part of the picture. */
static inline uint32_t floor_tile_side(uint32_t tile, uint32_t first, uint32_t own)
{
    return tile / floor_divide_up(first, own);
}

void floor_tiles_free(struct floor_tiles *tiles);

#endif
