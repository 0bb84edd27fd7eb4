/* Structs that state their own size. A caller built with an older header passes a shorter struct.
 * What it lacks counts as 0, and nothing beyond its end is read or written. A longer struct asks
 * for what this library does not know, and is refused. */
#ifndef SSIMCU_SIZED_H
#define SSIMCU_SIZED_H

#include "fail.h"

#include <string.h>

/* The smallest accepted size of each struct. Fields beyond it are optional. */
enum {
    SSIMCU_SETTINGS_OLDEST = 40,
    SSIMCU_DEVICE_INFO_OLDEST = 152,
    SSIMCU_SCORE_OLDEST = 96,
    SSIMCU_MAP_OLDEST = 32,
    SSIMCU_PERMUTE_LAYOUT_OLDEST = 240,
    SSIMCU_VIEW_OLDEST = 88 /* lacks `frames` and what follows */,
    SSIMCU_TILES_OLDEST = 32,
    SSIMCU_MEMORY_OLDEST = 24,
    SSIMCU_LOSS_OPTIONS_OLDEST = 56,
    SSIMCU_IMAGE_OPTIONS_OLDEST = 24 /* ends with the limits */,
    SSIMCU_RUN_OPTIONS_OLDEST = 8,
    SSIMCU_RUN_HOOKS_OLDEST = 8,
    SSIMCU_SUMMARY_OLDEST = 8,
    SSIMCU_FILE_RESULT_OLDEST = 8,
    SSIMCU_PART_OLDEST = 8,
    SSIMCU_ACCEPT_OPTIONS_OLDEST = 8,
    SSIMCU_ACCEPTED_OLDEST = 8,
    SSIMCU_CALIBRATE_OPTIONS_OLDEST = 8,
    SSIMCU_CALIBRATED_OLDEST = 8,
    SSIMCU_CHECK_OPTIONS_OLDEST = 8,
    SSIMCU_CHECKED_OLDEST = 8
};

/* Copies the caller's struct into ours, of `size` bytes, and sets its struct_size to `size`. The
 * message calls it `name`.
 * Errors: ARGUMENT. */
static inline ssimcu_status ssimcu_sized_read(void *own, size_t size, size_t oldest,
                                              const void *theirs, const char *name,
                                              ssimcu_message *message)
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

/* Copies our struct into the caller's, as far as the caller's reaches. Its struct_size stays. */
static inline void ssimcu_sized_write(void *theirs, const void *own)
{
    size_t given;
    memcpy(&given, theirs, sizeof given);
    memcpy((char *)theirs + sizeof given, (const char *)own + sizeof given, given - sizeof given);
}

#endif
