/* The page over the reports of several OUTs, in the directory with their folders. Next to these, a
 * separate report shows the same frames of two OUTs on top of each other, with a slider. */
#pragma once

#include "report/page/page_view.h"

/* Checks whether both pages may be written: each must be missing or from an earlier run. Errors:
 * ARGUMENT (something else exists), WRITE, MEMORY. */
ssimcu_status index_check(const char *directory, ssimcu_message *message);

/* Draws the lowest frames of every OUT for all OUTs, sets `sides`, and writes both pages. Earlier
 * ones are replaced. Errors: ARGUMENT, WRITE, MEMORY. */
ssimcu_status index_write(const char *directory, struct index *index, ssimcu_message *message);

/* Writes into the pages of an earlier run that a later one ended early, and why. Does nothing if
 * there are none. Errors: WRITE, MEMORY. */
ssimcu_status index_withdraw(const char *directory, const char *why, ssimcu_message *message);
