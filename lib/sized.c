#include "sized.h"

#include <string.h>

ssimcu_status ssimcu_sized_read(void *own, size_t size, size_t oldest, const void *theirs,
                                const char *name, ssimcu_message *message)
{
    size_t given;
    if (!theirs) return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT, "%s is NULL", name);
    memcpy(&given, theirs, sizeof given);
    if (given > size || given < oldest || given % sizeof given != 0)
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT, "%s: struct_size is %zu, expected %zu",
                           name, given, size);
    memset(own, 0, size);
    memcpy(own, theirs, given);
    memcpy(own, &size, sizeof size);
    return SSIMCU_OK;
}

void ssimcu_sized_write(void *theirs, const void *own)
{
    size_t given;
    memcpy(&given, theirs, sizeof given);
    memcpy((char *)theirs + sizeof given, (const char *)own + sizeof given, given - sizeof given);
}
