/* Looks for hints in both ways: at frames, and at frames of noise into which the look fetches what
 * it reads. Both must find the same. */
#ifndef SSIMCU_TEST_HINTS_LOOK_H
#define SSIMCU_TEST_HINTS_LOOK_H

#include "hints/hints.h"

void look_both(const ssimcu_frame *ref, const ssimcu_frame *out, uint32_t planes,
               const ssimcu_score *score, struct hints *hints, struct signature signature[2]);

#endif
