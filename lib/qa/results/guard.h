/* The guard of results: a file that holds something else is never replaced by them. */
#ifndef SSIMCU_QA_GUARD_H
#define SSIMCU_QA_GUARD_H

#include "ssimcu.h"

#include <stdbool.h>

/* Returns whether results may replace a file: it is not there, is empty, or begins with the first
 * line of results. With `half`, a part of that line is enough, as a killed run leaves it. */
bool results_recognized(const char *path, bool half);

/* Does the same for a file beside `path`. Errors: WRITE, MEMORY. */
ssimcu_status results_guard(const char *path, const char *ending, bool half,
                            ssimcu_message *message);

/* Returns whether a line is the first one of CSV, also of a version with fewer columns. */
bool results_is_csv(const char *line);

/* Removes results under that name, if there are any. Errors: WRITE (it holds something else),
 * MEMORY. */
ssimcu_status results_remove(const char *path, ssimcu_message *message);

#endif
