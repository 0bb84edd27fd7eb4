/* The guard: an output never replaces a file of another kind. Files are known by their first bytes;
 * a file that is not there, is empty, or is no regular file has nothing to lose. */
#ifndef SSIMCU_QA_GUARD_H
#define SSIMCU_QA_GUARD_H

#include "ssimcu.h"

#include <stdbool.h>

/* Returns whether the file has nothing to lose or begins with one of the texts, which NULL ends.
 * With `half`, a file of less than a line may hold only a part of the text, as a killed run leaves
 * it. */
bool guard_allows(const char *path, const char *const *starts, bool half);

/* Does that for results. */
bool guard_allows_results(const char *path, bool half);

/* Does that for the results whose name is `path` and `ending`. Errors: WRITE, MEMORY. */
ssimcu_status guard_check(const char *path, const char *ending, bool half, ssimcu_message *message);

/* Returns whether a line is the first one of CSV, also of a version with fewer columns. */
bool guard_is_csv(const char *line);

/* Removes results under that name, if there are any. Errors: WRITE (it holds something else),
 * MEMORY. */
ssimcu_status guard_remove(const char *path, ssimcu_message *message);

#endif
