/* The levels of 64-bit x86. The builtins ask the CPU, and whether the system saves its registers.
 */
#include "ssim_tiles.h"

static int has_avx512(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

static int has_avx2(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static int always(void) { return 1; }

const struct ssimcu_ssim_level ssimcu_ssim_levels[] = {
    {SSIMCU_CPU_AVX512, "AVX-512", ssimcu_ssim_tile_avx512, ssimcu_ssim_exact_tile_avx512,
     ssimcu_ssim_light_avx512, ssimcu_ssim_squares_avx512, ssimcu_ssim_halve_avx512,
     ssimcu_ssimulacra2_tile_avx512, has_avx512},
    {SSIMCU_CPU_AVX2, "AVX2", ssimcu_ssim_tile_avx2, ssimcu_ssim_exact_tile_avx2,
     ssimcu_ssim_light_avx2, ssimcu_ssim_squares_avx2, ssimcu_ssim_halve_avx2,
     ssimcu_ssimulacra2_tile_avx2, has_avx2},
    {SSIMCU_CPU_PLAIN, "plain C", ssimcu_ssim_tile_plain, ssimcu_ssim_exact_tile_plain,
     ssimcu_ssim_light_plain, ssimcu_ssim_squares_plain, ssimcu_ssim_halve_plain,
     ssimcu_ssimulacra2_tile_plain, always},
};
