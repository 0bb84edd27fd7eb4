/* The overwrite guard: an output never replaces a file of another kind. A file's first bytes show
 * its kind. A file that is missing, empty or not regular has nothing to lose. */
#pragma once

#include "base/atomic_file.h"

/* Returns whether a file's first bytes begin with one of `starts`, a list that ends with NULL. With
 * `half`, a file of less than a line may have only the beginning of such a text, as a killed run
 * leaves it. */
bool guard_begins(const char *bytes, size_t length, const char *const *starts, bool half);

/* Returns whether bytes are the start of a file of this kind. `half`: see guard_begins. */
bool guard_is_kind(const struct atomic_file_kind *kind, const char *bytes, size_t length,
                   bool half);

/* Returns whether the file has nothing to lose, or begins with one of `starts`. A file that cannot
 * be read is not allowed. */
bool guard_allows(const char *path, const char *const *starts, bool half);

/* Does the same for a kind of file. */
bool guard_allows_kind(const char *path, const struct atomic_file_kind *kind, bool half);

/* Does the same for the texts that results begin with. */
bool guard_allows_results(const char *path, bool half);

/* Returns the name of the picture format that a file's first bytes have; NULL: not a picture, or
 * unreadable. */
const char *guard_picture(const char *path);

/* Results for atomic_file. */
extern const struct atomic_file_kind guard_results;

/* Reports that a file is not `what`, such as "a results file", and returns WRITE. */
ssimcu_status guard_refuse(const char *path, const char *what, ssimcu_message *message);

/* Checks the results at `path` with `ending`. Errors: WRITE (the file holds something else),
 * MEMORY. */
ssimcu_status guard_check(const char *path, const char *ending, bool half, ssimcu_message *message);

/* Returns whether a line is the first one of CSV results, including versions with fewer columns. */
bool guard_is_csv(const char *line);

/* Removes an earlier run's output of this kind, if it exists. Errors: WRITE (it is of another kind,
 * or cannot be removed). */
ssimcu_status guard_remove(const char *path, const struct atomic_file_kind *kind,
                           ssimcu_message *message);

/* Removes a killed run's leftover at this name, even if only half of it was written. Other files,
 * empty files and links stay. */
void guard_drop(const char *path, const struct atomic_file_kind *kind);
