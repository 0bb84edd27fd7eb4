/* Functions that collect the files of a sequence, shared by directories and patterns. */
#pragma once

#include "sequence/sequence.h"

enum { SEQUENCE_MAX_DIGITS = 18 }; /* digits of a number that always fits in 64 bits */

/* Adds the file "directory/name". Returns false if memory runs out. */
bool ssimcu_sequence_add(ssimcu_sequence *sequence, const char *directory, const char *name,
                         int64_t number);

/* Calls take(name) for each regular file and each broken link in a directory, or with `all` for
 * every entry. Pipes are skipped because opening one blocks. Stops with MEMORY if `take` returns
 * false. Errors: FILE, MEMORY. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_sequence_walk(const char *path, bool all,
                                                     bool (*take)(const char *name, void *arg),
                                                     void *arg, ssimcu_message *message);

/* Sorts the sequence collected under `name`, or frees it if `status` is an error. Returns `status`.
 * Errors: also FILE (no files). */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_sequence_finish(ssimcu_sequence *sequence,
                                                       ssimcu_status status, const char *name,
                                                       ssimcu_message *message);
