/* The levels of any other architecture. */
#include "ssim_tiles.h"

static int always(void) { return 1; }

const struct ssimcu_ssim_level ssimcu_ssim_levels[] = {
    {SSIMCU_CPU_PLAIN, "plain C", ssimcu_ssim_tile_plain, ssimcu_ssim_exact_tile_plain,
     ssimcu_ssim_light_plain, ssimcu_ssim_squares_plain, ssimcu_ssim_halve_plain,
     ssimcu_ssimulacra2_tile_plain, always},
};
