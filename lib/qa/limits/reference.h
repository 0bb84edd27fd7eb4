/* Whether a reference is still the file that floors were learnt against. */
#ifndef SSIMCU_QA_REFERENCE_H
#define SSIMCU_QA_REFERENCE_H

#include "floors/floors.h"

struct record_side;

/* Fills in what tells a record's side from another file. Returns false if it is no file, or is
 * gone; or if it cannot be read, with an errno in *error, else 0. */
bool reference_take(const struct record_side *side, struct floor_reference *reference, int *error);

/* Returns whether a side is another file than `reference` tells of. A file whose size and time are
 * those is the same, and one of another size is another. Of one size a few KiB decide, so that a
 * copy or a checkout with times of its own is the same. A side that is no file is never another;
 * one that cannot be read is. */
bool reference_is_other(const struct record_side *side, const struct floor_reference *reference);

#endif
