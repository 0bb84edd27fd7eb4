/* The grid of tiles that are scored one by one: it says which window positions belong to which
 * tile. The CPU and the GPU both include this file. */
#ifndef SSIMCU_TILE_GRID_H
#define SSIMCU_TILE_GRID_H

#include "core/pixel.h"

#include <stddef.h>

/* Numbers of a tile, or of a part of it, in a plane: sums over its windows, except that BRIGHT and
 * DARK are maxima. Features, from DIFFERENCE on, are of every other window across and down, those
 * at even positions of the frame, because neighbours overlap so much that the others would tell
 * little more. Sums need fewer than maxima: DIFFERENCE is of every fourth row, from the first on,
 * and TEXTURE from the third on. A mean of every fourth row varies by 0.4 % more from noise to
 * noise than that of all.
 *
 * Results of a frame are the tiles one after the other: of each the mean of SSIM over all planes,
 * and its shift in each plane. Behind them lie the features, if they are wanted: of each tile
 * feature after feature, plane after plane. So a block of the GPU writes those of its tiles in few
 * pieces, into the host's memory. */
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
    uint32_t features; /* number of features: SSIMCU_TILE_FEATURES, or 0 if they are not wanted */
};

/* Returns how many numbers a tile has in a plane. */
SSIMCU_HOST_DEVICE uint32_t ssimcu_tile_numbers(const struct ssimcu_tile_grid *grid)
{
    return SSIMCU_TILE_NUMBERS + grid->features;
}

/* Returns how many doubles from the score of a tile to that of the next. */
SSIMCU_HOST_DEVICE uint32_t ssimcu_tile_step(uint32_t planes) { return 1 + planes; }

/* Returns how many doubles hold the numbers of a tile in so many planes, which share its score.
 * Features are floats, so that half as much has to come from a GPU. */
SSIMCU_HOST_DEVICE uint32_t ssimcu_tile_doubles(const struct ssimcu_tile_grid *grid,
                                                uint32_t planes)
{
    return ssimcu_tile_step(planes) + planes * grid->features / 2;
}

/* Returns the features of so many tiles, whose other numbers begin at `means`. */
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

/* Returns how many tiles along a side of `positions` windows hold centres of windows. */
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

/* Returns how many of the window positions [first, end) along one side are `from` plus a multiple
 * of `step`; from < step. */
SSIMCU_HOST_DEVICE uint32_t ssimcu_tile_every(uint32_t first, uint32_t end, uint32_t from,
                                              uint32_t step)
{
    const uint32_t before = step - 1 - from;
    return (end + before) / step - (first + before) / step;
}

/* Returns how many of the window positions [first, end) along one side count for features. */
SSIMCU_HOST_DEVICE uint32_t ssimcu_tile_even(uint32_t first, uint32_t end)
{
    return ssimcu_tile_every(first, end, 0, 2);
}

/* Returns how many rows [first, end) of windows count for DIFFERENCE or TEXTURE. */
SSIMCU_HOST_DEVICE uint32_t ssimcu_tile_sum_rows(uint32_t first, uint32_t end, uint32_t number)
{
    return ssimcu_tile_every(first, end,
                             number == SSIMCU_TILE_DIFFERENCE ? 0 : SSIMCU_TILE_SUM_ROWS / 2,
                             SSIMCU_TILE_SUM_ROWS);
}

#endif
