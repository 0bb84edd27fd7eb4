/* The values of a frame's tiles, from the core's measurements. */
#pragma once

#include "learned/learned.h"

/* Memory for the core's measurements in the tiles of a pair. */
struct learned_tiles {
    uint32_t planes;              /* 1 to 3 */
    uint32_t width[3], height[3]; /* pixels of each plane */
    ssimcu_tiles tiles[3];        /* of each plane, laid out, for ssimcu_compare_views or _planes */
    double *memory;               /* owned; all arrays of the tiles */
    uint32_t border;              /* pixels from the edge to the centre of the first window */
    bool plain;                   /* they have scores and level shifts, but no features */
};

/* Lays out tiles of `tile` pixels for a pair whose views are `ref` and `out`, `planes` each, with
 * all features unless they are `plain`. The tiles of a smaller plane are smaller in proportion, so
 * that they cover the same area of the picture. Errors: MEMORY; those of ssimcu_views_layout. */
ssimcu_status learned_tiles_make(ssimcu_context *context, const ssimcu_view *ref,
                                 const ssimcu_view *out, uint32_t planes, uint32_t tile, bool plain,
                                 struct learned_tiles *tiles, ssimcu_message *message);

/* Makes values of tiles that a comparison has filled in. `channels` are those of its score. Each
 * plane has one channel. A column or row that a smaller plane lacks has the values of the one
 * before. Returns false if memory runs out. */
bool learned_values_make(const struct learned_tiles *tiles, uint32_t channels,
                         struct learned_values *values);

/* Return the score of a tile, with the planes weighted by area, and its pixels in plane p; 0: the
 * plane has no such tile. */
double learned_tile_score(const struct learned_tiles *tiles, uint32_t column, uint32_t row);
double learned_tile_pixels(const struct learned_tiles *tiles, uint32_t p, uint32_t column,
                           uint32_t row);

static inline uint32_t learned_least(uint32_t a, uint32_t b) { return a < b ? a : b; }

static inline uint32_t learned_divide_up(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

/* Returns the side of tiles in a plane of `own` pixels along an axis, where the first plane has
 * `first`. They cover the same area of the picture. */
static inline uint32_t learned_tile_side(uint32_t tile, uint32_t first, uint32_t own)
{
    return tile / learned_divide_up(first, own);
}

void learned_tiles_free(struct learned_tiles *tiles);
