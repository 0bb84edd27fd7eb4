/* What a shot found. */
#ifndef SSIMCU_TEST_DETECT_FOUND_H
#define SSIMCU_TEST_DETECT_FOUND_H

#include "detect/shot.h"

/* Returns whether a frame of a shot has a finding of this kind. */
static inline bool has(const struct shot *shot, size_t at, enum finding_kind kind)
{
    return findings_kinds(&shot->frame[at].found) >> kind & 1;
}

#endif
