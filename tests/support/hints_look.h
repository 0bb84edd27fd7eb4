/* Looks for hints in both ways: at frames, and at frames of noise into which the look fetches what
 * it reads. Both must find the same. */
#ifndef SSIMCU_TEST_HINTS_LOOK_H
#define SSIMCU_TEST_HINTS_LOOK_H

#include "hints/hints.h"

/* Frames of noise that are looked at by fetching, and where their samples come from. A side has its
 * planes, then its first once more. */
struct look_apart {
    struct hints_fetch base;
    ssimcu_patch list[HINTS_PATCHES];
    ssimcu_context *context;
    ssimcu_view view[2 * HINTS_PLANES];
    ssimcu_frame frame[2 * HINTS_PLANES];
    uint32_t planes;
    uint32_t lists; /* of patches that were fetched */
};

void look_apart_open(struct look_apart *apart, const ssimcu_frame *ref, const ssimcu_frame *out,
                     uint32_t planes);
void look_apart_close(struct look_apart *apart);

/* Does what look_pair does, in both ways. */
void look_both(const ssimcu_frame *ref, const ssimcu_frame *out, uint32_t planes,
               const ssimcu_score *score, struct hints *hints, struct signature signature[2]);

#endif
