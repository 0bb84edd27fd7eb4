/* Detects whether a reference is still the file that limits were learned from. */
#pragma once

#include "learned/learned.h"

struct record_side;

/* Fills in the facts that identify a record's side. Returns false if it is not a file, does not
 * exist, or cannot be read. *error is the errno of a read error, else 0. */
bool reference_take(const struct record_side *side, struct learned_reference *reference,
                    int *error);

/* Returns whether a side is another file than `reference`. Files of equal size and time are the
 * same, and files of different sizes differ. If only the sizes are equal, a few KiB decide, so that
 * a copy or checkout with other times is the same. A side that is not a file never differs; one
 * that cannot be read does. */
bool reference_is_other(const struct record_side *side, const struct learned_reference *reference);
