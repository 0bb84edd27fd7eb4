/* The instruction sets of this build, the best first, plain C last. */
#include "ssim_tiles.h"

extern const struct ssimcu_ssim_level ssimcu_ssim_avx512, ssimcu_ssim_avx2, ssimcu_ssim_neon,
    ssimcu_ssim_plain;

static int always(void) { return 1; }

#ifdef __x86_64__
/* The builtins check the CPU, and whether the system saves its registers. */
static int has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

static int has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#endif

static const struct {
    const struct ssimcu_ssim_level *level;
    int (*usable)(void); /* returns whether this CPU and this system can run it */
} levels[] = {
#if defined(__x86_64__)
    {&ssimcu_ssim_avx512, has_avx512},
    {&ssimcu_ssim_avx2, has_avx2},
#elif defined(__aarch64__)
    {&ssimcu_ssim_neon, always}, /* NEON is part of the architecture */
#endif
    {&ssimcu_ssim_plain, always},
};

const struct ssimcu_ssim_level *ssimcu_ssim_level(enum ssimcu_cpu_level level)
{
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if ((level == SSIMCU_CPU_BEST || level == levels[i].level->level) && levels[i].usable())
            return levels[i].level;
    return NULL;
}
