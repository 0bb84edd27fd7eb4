#include "base/results.h"

#include "base/text.h"

#include "fail.h"

#include <stdlib.h>

char *results_beside(const char *path, const char *ending)
{
    return text_join(path, ending, "", "");
}

void *results_grow(void *array, size_t count, size_t *room, size_t size)
{
    if (count < *room) return array;
    const size_t more = *room ? 2 * *room : 64;
    void *const grown = realloc(array, more * size);
    if (grown) *room = more;
    return grown;
}

ssimcu_status results_no_memory(ssimcu_message *message)
{
    return ssimcu_fail(message, SSIMCU_ERROR_MEMORY, "results: out of memory");
}

const char *results_commit(void) { return SSIMCU_COMMIT; }
