/* Helpers that many modules share: derived file names, memory, and the commit. */
#pragma once

#include "ssimcu.h"

#include <stdbool.h>

/* Returns the path with `ending` added, which the caller frees; NULL if memory runs out. */
char *results_beside(const char *path, const char *ending);

/* Gives an array room for one more element. `array`: address of the pointer to it; the pointer may
 * be NULL. If memory runs out, returns false and changes nothing. */
bool results_grow(void *array, size_t count, size_t *room, size_t size);

/* Returns the short name of the commit of this build; "": not built in a clone. */
const char *results_commit(void);
