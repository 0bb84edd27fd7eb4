/* The instruction sets of this build, the best first, plain C last. */
#include "check/loops/loops.h"

extern const struct check_loops check_loops_avx2;

const struct check_loops *const check_loops_all[] = {
#ifdef __x86_64__
    &check_loops_avx2,
#endif
    &check_loops_plain, /* on ARM it has NEON, which is part of the architecture */
};

const struct check_loops *check_loops_best(void)
{
    const struct check_loops *const *loops = check_loops_all;
    while (!(*loops)->available()) loops++;
    return *loops;
}
