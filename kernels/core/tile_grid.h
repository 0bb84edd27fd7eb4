/* The grid of tiles, each of which gets a score. It maps window positions to tiles. The CPU and the
 * GPU both include this file. */
#pragma once

#include "core/pixel.h"

#include <stddef.h>

/* The numbers of a tile, or of a part of it, in a plane. They are sums over its windows, except
 * that BRIGHT and DARK are maxima. Features, from DIFFERENCE on, use every other window across and
 * down, at even positions of the frame. Neighbours overlap so much that the others would add
 * little. Sums need fewer windows than maxima. DIFFERENCE uses every fourth row from the first on,
 * TEXTURE every fourth from the third on. A mean of every fourth row varies by 0.4 % more from
 * noise to noise than the mean of all rows.
 *
 * The results of a frame list the tiles one after the other. Each has its mean SSIM over all
 * planes, then its level shift in each plane. The features follow if they are wanted: tile by tile,
 * feature by feature, plane by plane. So a block of the GPU writes those of its tiles to host
 * memory in few pieces. */
enum {
    SSIMCU_TILE_SSIM,
    SSIMCU_TILE_SHIFT,
    SSIMCU_TILE_NUMBERS,                          /* without features */
    SSIMCU_TILE_DIFFERENCE = SSIMCU_TILE_NUMBERS, /* |mean(d)| */
    SSIMCU_TILE_TEXTURE,                          /* var(s) + var(d) */
    SSIMCU_TILE_BRIGHT,                           /* var(d) if OUT is brighter */
    SSIMCU_TILE_DARK,                             /* var(d) if it is darker */
    SSIMCU_TILE_ALL_NUMBERS,
    SSIMCU_TILE_FEATURES = SSIMCU_TILE_ALL_NUMBERS - SSIMCU_TILE_NUMBERS,
    SSIMCU_TILE_SUM_ROWS = 4 /* rows from one that counts for a sum to the next */
};

struct ssimcu_tile_grid {
    uint32_t width; /* pixels across a tile; 0: no tiles */
    uint32_t height;
    uint32_t columns; /* tiles across */
    uint32_t rows;
    uint32_t border;   /* pixels from the frame's edge to the centre of the first window */
    uint32_t features; /* SSIMCU_TILE_FEATURES, or 0 if no features are wanted */
};

/* Returns the numbers of a tile per plane. */
SSIMCU_HOST_DEVICE uint32_t ssimcu_tile_numbers(const struct ssimcu_tile_grid *grid)
{
    return SSIMCU_TILE_NUMBERS + grid->features;
}

/* Returns the doubles from one tile's score to the next. */
SSIMCU_HOST_DEVICE uint32_t ssimcu_tile_step(uint32_t planes) { return 1 + planes; }

/* Returns the doubles of a tile's numbers in so many planes, which share its score. Features are
 * floats, so that half as much comes from a GPU. */
SSIMCU_HOST_DEVICE uint32_t ssimcu_tile_doubles(const struct ssimcu_tile_grid *grid,
                                                uint32_t planes)
{
    return ssimcu_tile_step(planes) + planes * grid->features / 2;
}

/* Returns the features of so many tiles whose other numbers begin at `means`. */
SSIMCU_HOST_DEVICE float *ssimcu_tile_features(double *means, size_t tiles, uint32_t planes)
{
    return (float *)(means + ssimcu_tile_step(planes) * tiles);
}

/* Returns the place of a feature in a plane among those of all tiles. */
SSIMCU_HOST_DEVICE size_t ssimcu_tile_feature_at(size_t tile, uint32_t feature, uint32_t planes,
                                                 uint32_t plane)
{
    return (tile * SSIMCU_TILE_FEATURES + feature) * planes + plane;
}

/* Returns the number of tiles with window centres along a side of `positions` windows. */
SSIMCU_HOST_DEVICE uint32_t ssimcu_tile_count(uint32_t positions, uint32_t border, uint32_t side)
{
    return (positions + border + side - 1) / side;
}

/* Sets the window positions [*first, *end) along one side whose centres lie in tile `tile`. */
SSIMCU_HOST_DEVICE void ssimcu_tile_span(uint32_t tile, uint32_t side, uint32_t border,
                                         uint32_t positions, uint32_t *first, uint32_t *end)
{
    const uint64_t from = (uint64_t)tile * side, to = from + side;
    *first = from < border ? 0 : (uint32_t)(from - border);
    *end = to - border < positions ? (uint32_t)(to - border) : positions;
}

/* Returns the number of window positions [first, end) along one side that are `from` plus a
 * multiple of `step`, where from < step. */
SSIMCU_HOST_DEVICE uint32_t ssimcu_tile_every(uint32_t first, uint32_t end, uint32_t from,
                                              uint32_t step)
{
    const uint32_t before = step - 1 - from;
    return (end + before) / step - (first + before) / step;
}

/* Returns the number of window positions [first, end) along one side that count for features. */
SSIMCU_HOST_DEVICE uint32_t ssimcu_tile_even(uint32_t first, uint32_t end)
{
    return ssimcu_tile_every(first, end, 0, 2);
}

/* Returns the number of window rows [first, end) that count for DIFFERENCE or TEXTURE. */
SSIMCU_HOST_DEVICE uint32_t ssimcu_tile_sum_rows(uint32_t first, uint32_t end, uint32_t number)
{
    return ssimcu_tile_every(first, end,
                             number == SSIMCU_TILE_DIFFERENCE ? 0 : SSIMCU_TILE_SUM_ROWS / 2,
                             SSIMCU_TILE_SUM_ROWS);
}
