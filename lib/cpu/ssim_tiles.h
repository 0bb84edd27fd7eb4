/* A pair cut into tiles: what every instruction set and every thread is given. */
#ifndef SSIMCU_SSIM_TILES_H
#define SSIMCU_SSIM_TILES_H

#include "backend.h"
#include "light.h"

enum {
    SSIM_TILE_COLUMNS = 96, /* interleaved samples across; a multiple of 3 and of every vector */
    SSIM_TILE_ROWS = 270,   /* even; 4K and 1080p in whole tiles; ten rows are read twice */
    SSIM_TILE_READS = SSIM_TILE_ROWS + SSIMCU_TAPS, /* rows that it reads at most */
    SSIM_NOT_COUNTED = 255,                         /* see ssimcu_ssim_tile */
};

struct ssimcu_threads; /* threads.h */

/* One pair under one pair of rules. */
struct ssimcu_ssim_cpu_task {
    const struct ssimcu_shape *shape;
    const struct ssimcu_samples *samples[SSIMCU_PAIR];
    const struct ssimcu_pixel_rule *rule[SSIMCU_PAIR];
    const float *halves[SSIMCU_PAIR]; /* of 16-bit floats whose every sample belongs to a plane as
                                         it stands: what each is in plane units; else NULL */
    const struct ssimcu_tile_grid *grid;          /* of the scores per tile; width 0: none */
    float *map;                                   /* planes of map_height x map_width, or NULL */
    struct ssimcu_light_frame light[SSIMCU_PAIR]; /* frames of linear light, to be counted with the
                                                     tiles, which then find them in a cache */
    struct ssimcu_light_counts *counts[SSIMCU_PAIR]; /* to which that is added; NULL: not counted */
    uint16_t shown[SSIMCU_PAIR]; /* halves whose bits are up to this need not be counted */
};

/* A cell is what a tile and a tile of the score's grid share. In so many windows side by side, two
 * or more, there are at most so many cells. */
static inline uint32_t ssimcu_ssim_cells(uint32_t windows, uint32_t side)
{
    return (windows - 2) / side + 2;
}

/* Scores the tile in column `across` and row `down`: adds its windows' 1 - SSIM to sums[planes]
 * and, unless it is NULL, to the tile's cells, of all planes, in rows of as many as
 * ssimcu_ssim_cells says. Of the rows under its windows that it has counted, in its own columns,
 * clamped becomes how many pixels of each side are. Needs 40 KB of stack. */
typedef void ssimcu_ssim_tile(const struct ssimcu_ssim_cpu_task *task, uint32_t across,
                              uint32_t down, double *sums, double *cells,
                              uint8_t clamped[SSIM_TILE_READS][SSIMCU_PAIR]);

/* Writes the tile's part of the map. Needs as much stack. */
typedef void ssimcu_ssim_map_tile(const struct ssimcu_ssim_cpu_task *task, uint32_t across,
                                  uint32_t down);

/* An instruction set that this build knows. */
struct ssimcu_ssim_level {
    enum ssimcu_cpu_level level;
    const char *name; /* "AVX-512" */
    ssimcu_ssim_tile *tile;
    ssimcu_ssim_map_tile *map_tile;
    int (*usable)(void); /* on this CPU, under this system */
};

/* All of them, the best first, plain C last: ssim_levels_*.c, whichever fits the architecture. */
extern const struct ssimcu_ssim_level ssimcu_ssim_levels[];

ssimcu_ssim_tile ssimcu_ssim_tile_plain, ssimcu_ssim_tile_avx2, ssimcu_ssim_tile_avx512,
    ssimcu_ssim_tile_neon;
ssimcu_ssim_map_tile ssimcu_ssim_map_tile_plain, ssimcu_ssim_map_tile_avx2,
    ssimcu_ssim_map_tile_avx512, ssimcu_ssim_map_tile_neon;

/* The level asked for, or the best usable one for SSIMCU_CPU_BEST; NULL where there is none. */
const struct ssimcu_ssim_level *ssimcu_ssim_level(enum ssimcu_cpu_level level);

/* Numbers that ssimcu_ssim_tiles works in. */
size_t ssimcu_ssim_cpu_partials(const struct ssimcu_shape *shape,
                                const struct ssimcu_tile_grid *grid);

/* Scores the pair: sums[planes] of 1 - SSIM, and the map where the task has one; adds the 1 - SSIM
 * of the grid's tiles, of all planes, to grid_sums, where there is a grid. The tiles depend on the
 * frame's size alone and their sums are added in order: the same bits with any number of threads.
 */
void ssimcu_ssim_tiles(const struct ssimcu_ssim_cpu_task *task,
                       const struct ssimcu_ssim_level *level, struct ssimcu_threads *threads,
                       double *partial, double *sums, double *grid_sums);

#endif
