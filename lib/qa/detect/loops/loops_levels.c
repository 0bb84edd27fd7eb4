/* The instruction sets of this build, best first, plain C last. */
#include "detect/loops/loops.h"

extern const struct detect_loops detect_loops_avx2;

const struct detect_loops *const detect_loops_all[] = {
#ifdef __x86_64__
    &detect_loops_avx2,
#endif
    &detect_loops_plain, /* uses NEON on ARM, where it is part of the architecture */
};

const struct detect_loops *detect_loops_best(void)
{
    const struct detect_loops *const *loops = detect_loops_all;
    while (!(*loops)->available()) loops++;
    return *loops;
}
