/* The guard: an output never replaces a file of another kind. The first bytes of a file tell its
 * kind. A file that is missing, empty or not regular has nothing to lose. */
#ifndef SSIMCU_QA_GUARD_H
#define SSIMCU_QA_GUARD_H

#include "base/draft.h"

/* Returns whether bytes, the first of a file, begin with one of `starts`, a list that NULL ends.
 * With `half`, a file of less than a line may hold only the beginning of such a text, because a
 * killed run leaves that. */
bool guard_begins(const char *bytes, size_t length, const char *const *starts, bool half);

/* Returns whether the file has nothing to lose, or begins like that. A file that cannot be read is
 * not allowed. */
bool guard_allows(const char *path, const char *const *starts, bool half);

/* Does the same for the texts that results begin with. */
bool guard_allows_results(const char *path, bool half);

/* Returns the name of the picture format that a file's first bytes are of; NULL: it is no picture,
 * or cannot be read. */
const char *guard_picture(const char *path);

/* Results as a draft. */
extern const struct draft_kind guard_results;

/* Checks the results whose name is `path` and `ending`. Errors: WRITE (the file holds something
 * else), MEMORY. */
ssimcu_status guard_check(const char *path, const char *ending, bool half, ssimcu_message *message);

/* Returns whether a line is the first one of CSV results, also of a version with fewer columns. */
bool guard_is_csv(const char *line);

/* Removes an earlier run's output of this kind, if it is there. Errors: WRITE (it is of another, or
 * cannot be removed). */
ssimcu_status guard_remove(const char *path, const struct draft_kind *kind,
                           ssimcu_message *message);

/* Removes what a killed run has left under this name, also if only half of it was written. Anything
 * else, an empty file and a link too, is somebody else's and stays. */
void guard_drop(const char *path, const struct draft_kind *kind);

#endif
