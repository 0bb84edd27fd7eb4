/* Helpers that the files of this room share: names beside a file, memory, and the commit. */
#ifndef SSIMCU_QA_RESULTS_H
#define SSIMCU_QA_RESULTS_H

#include "ssimcu.h"

#include <stdbool.h>

/* Returns the path with an ending added, the caller's to free; NULL if memory runs out. */
char *results_beside(const char *path, const char *ending);

/* Gives an array room for one more element. `array`: where the pointer to it is; NULL there: it is
 * empty. Returns false, and leaves it as it was, if memory runs out. */
bool results_grow(void *array, size_t count, size_t *room, size_t size);

/* Returns the short name of the commit that this was built from; "": not built in a clone. */
const char *results_commit(void);

#endif
