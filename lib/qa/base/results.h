/* Helpers that the files of this room share: names beside a file, memory, and the commit. */
#ifndef SSIMCU_QA_RESULTS_H
#define SSIMCU_QA_RESULTS_H

#include "ssimcu.h"

/* Returns the path with an ending added, the caller's to free; NULL if memory runs out. */
char *results_beside(const char *path, const char *ending);

/* Returns the array with room for one more element, or NULL if memory ran out. */
void *results_grow(void *array, size_t count, size_t *room, size_t size);

/* Sets the message and returns MEMORY. */
ssimcu_status results_no_memory(ssimcu_message *message);

/* Returns the short name of the commit that this was built from; "": not built in a clone. */
const char *results_commit(void);

#endif
