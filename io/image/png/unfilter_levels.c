/* The instruction sets of this build, the best first, plain C last. */
#include "unfilter.h"

static int always(void) { return 1; }

#ifdef __x86_64__
/* The builtins check the CPU, and whether the system saves its registers. */
static int has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl");
}

static int has_avx2(void) { return __builtin_cpu_supports("avx2"); }
#endif

const struct ssimcu_unfilter_level ssimcu_unfilter_levels[] = {
#if defined(__x86_64__)
    {"AVX-512", {8, 4}, ssimcu_unfilter_avx512, has_avx512},
    {"AVX2", {8, 4}, ssimcu_unfilter_avx2, has_avx2},
#elif defined(__aarch64__)
    {"NEON", {4, 2}, ssimcu_unfilter_neon, always}, /* it is part of the architecture */
#endif
    {"plain C", {1, 1}, NULL, always},
};
