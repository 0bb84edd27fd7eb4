/* Frames of REF and of the runs that a check calls damaged. They teach nothing. */
#pragma once

#include "run/intake.h"

/* Checks REF and all runs. Errors: MEMORY. Files that cannot be read are left to the batch. */
ssimcu_status damage_find(const struct ssimcu_run *run, struct intake *damage,
                          ssimcu_message *message);

/* Returns what is wrong with a pair, and sets *side to the damaged one: 0, REF, or 1, the run.
 * NULL: nothing, or most of REF and the runs show the same. */
const char *damage_of(const struct ssimcu_run *run, const struct intake *damage,
                      const struct record *record, int *side);
