/* How the files of a sequence are collected: what directories and patterns share. */
#ifndef SSIMCU_SEQUENCE_COLLECT_H
#define SSIMCU_SEQUENCE_COLLECT_H

#include "sequence/sequence.h"

enum { SEQUENCE_MAX_DIGITS = 18 }; /* a number of so many fits in 64 bits */

/* MEMORY, for names. */
ssimcu_status ssimcu_sequence_no_memory(ssimcu_message *message);

/* Adds "directory/name". False: no memory. */
bool ssimcu_sequence_add(ssimcu_sequence *sequence, const char *directory, const char *name,
                         int64_t number);

/* Calls take(name) for each file in a directory, also one that leads nowhere, or with `all` for
 * each entry, until that is false: no memory. A pipe would block whoever opens it. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_sequence_walk(const char *path, bool all,
                                                     bool (*take)(const char *name, void *arg),
                                                     void *arg, ssimcu_message *message);

/* Sorts what was collected under `name`; frees it where something was wrong. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_sequence_finish(ssimcu_sequence *sequence,
                                                       ssimcu_status status, const char *name,
                                                       ssimcu_message *message);

#endif
