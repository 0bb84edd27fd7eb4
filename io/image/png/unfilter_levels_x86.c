/* The levels of 64-bit x86. The builtins ask the CPU, and whether the system saves its
 * registers. */
#include "unfilter.h"

static int has_avx512(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl");
}

static int has_avx2(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2");
}

static int always(void) { return 1; }

const struct ssimcu_unfilter_level ssimcu_unfilter_levels[] = {
    {"AVX-512", {8, 4}, ssimcu_unfilter_avx512, has_avx512},
    {"AVX2", {8, 4}, ssimcu_unfilter_avx2, has_avx2},
    {"plain C", {1, 1}, NULL, always},
};
