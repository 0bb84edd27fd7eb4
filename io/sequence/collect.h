/* Tools that collect the files of a sequence, shared by directories and patterns. */
#ifndef SSIMCU_SEQUENCE_COLLECT_H
#define SSIMCU_SEQUENCE_COLLECT_H

#include "sequence/sequence.h"

enum { SEQUENCE_MAX_DIGITS = 18 }; /* the most digits of a number that always fits in 64 bits */

/* Adds the file "directory/name". False if memory runs out. */
bool ssimcu_sequence_add(ssimcu_sequence *sequence, const char *directory, const char *name,
                         int64_t number);

/* Calls take(name) for each regular file in a directory and for each broken link; with `all` for
 * every entry. Pipes are left out because opening one blocks. Stops with MEMORY if `take` returns
 * false. Errors: FILE, MEMORY. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_sequence_walk(const char *path, bool all,
                                                     bool (*take)(const char *name, void *arg),
                                                     void *arg, ssimcu_message *message);

/* Sorts the sequence that was collected under `name`, or frees it if `status` is an error. Returns
 * `status`. Errors: also FILE (there is no file). */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_sequence_finish(ssimcu_sequence *sequence,
                                                       ssimcu_status status, const char *name,
                                                       ssimcu_message *message);

#endif
