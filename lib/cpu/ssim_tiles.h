/* A pair cut into tiles: what every instruction set and every thread is given. */
#ifndef SSIMCU_SSIM_TILES_H
#define SSIMCU_SSIM_TILES_H

#include "backend.h"

enum {
#ifndef CO
#define CO 96
#endif
#ifndef RO
#define RO 512
#endif
    SSIM_TILE_COLUMNS = CO, /* interleaved samples across; a multiple of 3 and of every vector */
    SSIM_TILE_ROWS = RO,   /* even */
};

struct ssimcu_ssim_task {
    const struct ssimcu_shape *shape;
    const ssimcu_frame *frame[SSIMCU_PAIR];
    const struct ssimcu_pixel_rule *rule[SSIMCU_PAIR];
    float *map; /* planes of map_height x map_width, or NULL */
};

/* Scores the tile in column `across` and row `down` of the grid: adds its windows' 1 - SSIM to
 * sums[planes] and writes its part of the map. */
typedef void ssimcu_ssim_tile(const struct ssimcu_ssim_task *task, uint32_t across, uint32_t down,
                              double *sums);

ssimcu_ssim_tile ssimcu_ssim_tile_plain, ssimcu_ssim_tile_avx2, ssimcu_ssim_tile_avx512,
    ssimcu_ssim_tile_neon;

#endif
