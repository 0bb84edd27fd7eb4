/* All functions of an instruction set. A level's file (ssim_plain.c, ssim_avx2.c, ...) defines
 * `vec`, LANES floats, and `dvec`, half as many doubles. It also defines the few vector operations
 * that C cannot express. Then it includes this file, which compiles the shared code for that level.
 */
#include "ssim_tile.h"

#include "ssim_exact_tile.h"

#include "cpu/metrics/metric_rows.h"

#include "cpu/metrics/ssimulacra2_tile.h"

/* The last members of a struct ssimcu_ssim_level. */
#define SSIM_LEVEL_FUNCTIONS                                                                       \
    ssim_tile, ssim_exact_tile, ssim_light, ssim_squares, ssim_halve, ssimulacra2_tile
