#include "base/results.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

char *results_beside(const char *path, const char *ending)
{
    return text_join(path, ending, "", "");
}

bool results_grow(void *array, size_t count, size_t *room, size_t size)
{
    void *old;
    if (count < *room) return true;
    const size_t more = *room ? 2 * *room : 64;
    memcpy(&old, array, sizeof old);
    void *const grown = realloc(old, more * size);
    if (!grown) return false;
    *room = more;
    memcpy(array, &grown, sizeof grown);
    return true;
}

const char *results_commit(void) { return SSIMCU_COMMIT; }
