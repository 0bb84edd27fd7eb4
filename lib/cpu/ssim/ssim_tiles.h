/* A pair cut into tiles, for every instruction set and every thread. */
#pragma once

#include "backend.h"
#include "core/curve.h"
#include "cpu/metrics/ssimulacra2.h"
#include "number/light.h"

enum {
    SSIM_TILE_COLUMNS = 96, /* interleaved samples across; a multiple of 3 and of every vector */
    SSIM_TILE_ROWS = 270, /* even, for features; divides 4K and 1080p into complete tiles; ten rows
                             are read twice */
    SSIM_TILE_READS = SSIM_TILE_ROWS + SSIMCU_TAPS, /* maximum number of rows that a tile reads */
    SSIM_NOT_COUNTED = 255,                         /* see ssimcu_ssim_tile */
    SSIM_TILE_SUMS = 2 * SSIMCU_MAX_CHANNELS /* sums of a tile: of 1 - SSIM, and of structure */
};

struct ssimcu_threads; /* threads.h */

/* One pair under one pair of rules. */
struct ssimcu_ssim_cpu_task {
    const struct ssimcu_shape *shape;
    const struct ssimcu_samples *samples[SSIMCU_PAIR];
    const struct ssimcu_pixel_rule *rule[SSIMCU_PAIR];
    int fixed; /* samples are read as integers (curve.h), because a side has a curve */
    const struct ssimcu_curve *curve[SSIMCU_PAIR]; /* table of a side with a curve if `fixed` */
    const float *halves[SSIMCU_PAIR];    /* tables for 16-bit floats if every sample belongs to a
                                            plane unchanged: each value in plane units, or the bits
                                            of an integer; otherwise NULL */
    double white;                        /* white in plane units */
    const struct ssimcu_tile_grid *grid; /* grid of the scores per tile; width 0: none */
    float *map;                          /* planes of map_height x map_width, or NULL */
    enum { SSIM_ALONE, SSIM_AND_STRUCTURE, STRUCTURE_ALONE } what;
    int floats; /* samples are interleaved floats in plane units that need no check */
    struct ssimcu_light_frame light[SSIMCU_PAIR];    /* frames of linear light to count with the
                                                        tiles, while they are in a cache */
    struct ssimcu_light_counts *counts[SSIMCU_PAIR]; /* counts to add to; NULL: not counted */
    uint16_t shown[SSIMCU_PAIR]; /* halves whose bits are up to this need not be counted */
    uint32_t top[SSIMCU_PAIR];   /* nor floats in plane units whose bits are; 0: unknown */
};

/* Returns the maximum number of cells, two or more, in that many adjacent windows. A cell is the
 * intersection of a tile and a tile of the score's grid. */
static inline uint32_t ssimcu_ssim_cells(uint32_t windows, uint32_t side)
{
    return (windows - 2) / side + 2;
}

/* Scores the tile in column `across` and row `down`. Adds its windows' 1 - SSIM to sums[planes]
 * and, if requested, their 1 - contrast times structure to sums[SSIMCU_MAX_CHANNELS + plane].
 * Unless `cells` is NULL, also sets the values of the tile's cells, in rows of ssimcu_ssim_cells. A
 * cell has its 1 - SSIM of all planes, then its level shift per plane, OUT minus REF. Its features
 * follow as floats, feature by feature, plane by plane. For the counted rows under its windows,
 * sets `clamped` to each side's clamped pixels in its columns. Needs 50 KB of stack. */
typedef void ssimcu_ssim_tile(const struct ssimcu_ssim_cpu_task *task, uint32_t across,
                              uint32_t down, double *sums, double *cells,
                              uint8_t clamped[SSIM_TILE_READS][SSIMCU_PAIR]);

/* Scores the tile in double. Writes its part of the map if the task has one. Unless `sums` is NULL,
 * adds to `sums` and `cells` like ssimcu_ssim_tile. Needs as much stack. */
typedef void ssimcu_ssim_exact_tile(const struct ssimcu_ssim_cpu_task *task, uint32_t across,
                                    uint32_t down, double *sums, double *cells);

/* Converts n samples by a curve to bits of integers. */
typedef void ssimcu_ssim_light(const struct ssimcu_curve *curve, const float *from, uint32_t n,
                               float *to);

/* Adds the squares of REF - OUT, in plane units, of rows from y on to sums[planes]. */
typedef void ssimcu_ssim_squares(const struct ssimcu_ssim_cpu_task *task, uint32_t y, uint32_t rows,
                                 double *sums);

/* Writes row y of a plane of a half-size scale, for one side of the pair. It has the means of 2 x 2
 * samples in plane units, or words with the sums of bytes. An odd last row or column is
 * repeated. */
typedef void ssimcu_ssim_halve(const struct ssimcu_ssim_cpu_task *task, int slot, uint32_t y,
                               const struct ssimcu_pyramid_scale *half, uint32_t plane);

/* An instruction set of this build (ssim_levels.c). */
struct ssimcu_ssim_level {
    enum ssimcu_cpu_level level;
    const char *name; /* "AVX-512" */
    ssimcu_ssim_tile *tile;
    ssimcu_ssim_exact_tile *exact_tile;
    ssimcu_ssim_light *light;
    ssimcu_ssim_squares *squares;
    ssimcu_ssim_halve *halve;
    ssimcu_ssimulacra2_tile *ssimulacra2;
};

/* Returns the requested level, or for SSIMCU_CPU_BEST the best that this CPU and this system can
 * run; NULL if it is not available. */
const struct ssimcu_ssim_level *ssimcu_ssim_level(enum ssimcu_cpu_level level);

/* Returns how many doubles of memory ssimcu_ssim_tiles needs. */
size_t ssimcu_ssim_cpu_partials(const struct ssimcu_shape *shape,
                                const struct ssimcu_tile_grid *grid);

/* Joins a feature of two parts of a tile: their sum, or their maximum. */
static inline float ssimcu_join_feature(float a, float b, int most)
{
    return !most ? a + b : a < b ? b : a;
}

/* Memory for summing the values of tiles, laid out as in core/tile_grid.h. */
struct ssimcu_ssim_numbers {
    double *score;
    float *feature;
    uint32_t planes; /* planes in the frame */
    uint32_t first;  /* index of the task's first plane */
};

/* Scores the pair. Sets sums[planes] of 1 - SSIM, structure[planes] if the task requests it, and
 * the map if the task has one. If there is a grid, adds the 1 - SSIM of its tiles, over all planes,
 * and their other values to `numbers`. The tiles depend only on the frame's size, and their sums
 * are added in order. So the bits are the same with any number of threads. */
void ssimcu_ssim_tiles(const struct ssimcu_ssim_cpu_task *task,
                       const struct ssimcu_ssim_level *level, struct ssimcu_threads *threads,
                       double *partial, double *sums, double *structure,
                       const struct ssimcu_ssim_numbers *numbers);
