/* Looks for hints in both ways: at frames, and at frames of noise into which the look fetches what
 * it reads. Both must find the same. */
#ifndef SSIMCU_TEST_HINTS_LOOK_H
#define SSIMCU_TEST_HINTS_LOOK_H

#include "hints/hints.h"

/* Frames of noise that are looked at by fetching, and where their samples come from. A side has its
 * planes, then its first once more. */
struct analysis_apart {
    struct hints_fetch base;
    ssimcu_patch list[HINTS_PATCHES];
    ssimcu_context *context;
    ssimcu_view view[2 * HINTS_PLANES];
    ssimcu_frame frame[2 * HINTS_PLANES];
    uint32_t planes;
    uint32_t lists; /* of patches that were fetched */
};

void analysis_apart_open(struct analysis_apart *apart, const ssimcu_frame *ref,
                         const ssimcu_frame *out, uint32_t planes);
void analysis_apart_close(struct analysis_apart *apart);

/* Does what analyse_pair does, in both ways. */
void analysis_both(const ssimcu_frame *ref, const ssimcu_frame *out, uint32_t planes,
                   const ssimcu_score *score, struct hints *hints, struct signature signature[2]);

#endif
