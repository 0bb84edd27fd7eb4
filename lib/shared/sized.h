/* Structs that state their size. A caller built with an older header passes a shorter struct.
 * Missing fields count as 0, and nothing beyond its end is read or written. A longer struct may
 * request unknown features, and is refused. */
#pragma once

#include "fail.h"

#include <string.h>

/* The smallest accepted size of each struct. Fields beyond it are optional. */
enum {
    SSIMCU_SETTINGS_OLDEST = 40,
    SSIMCU_DEVICE_INFO_OLDEST = 152,
    SSIMCU_SCORE_OLDEST = 96,
    SSIMCU_MAP_OLDEST = 32,
    SSIMCU_PERMUTE_LAYOUT_OLDEST = 240,
    SSIMCU_VIEW_OLDEST = 88 /* ends before `frames` */,
    SSIMCU_TILES_OLDEST = 32,
    SSIMCU_MEMORY_OLDEST = 24,
    SSIMCU_LOSS_OPTIONS_OLDEST = 56,
    SSIMCU_IMAGE_OPTIONS_OLDEST = 24 /* ends with the limits */,
    SSIMCU_RUN_OPTIONS_OLDEST = 8,
    SSIMCU_RUN_HOOKS_OLDEST = 8,
    SSIMCU_SUMMARY_OLDEST = 8,
    SSIMCU_FILE_RESULT_OLDEST = 8,
    SSIMCU_SHOT_OLDEST = 8,
    SSIMCU_ACCEPT_OPTIONS_OLDEST = 8,
    SSIMCU_ACCEPTED_OLDEST = 8,
    SSIMCU_CALIBRATE_OPTIONS_OLDEST = 8,
    SSIMCU_CALIBRATED_OLDEST = 8
};

/* Copies the caller's struct into the library's, of `size` bytes, and sets its struct_size to
 * `size`. The message calls it `name`. Errors: ARGUMENT. */
static inline ssimcu_status ssimcu_sized_read(void *ours, size_t size, size_t oldest,
                                              const void *theirs, const char *name,
                                              ssimcu_message *message)
{
    size_t given;
    if (!theirs) return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT, "%s is NULL", name);
    memcpy(&given, theirs, sizeof given);
    if (given > size || given < oldest || given % sizeof given != 0)
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT, "%s: struct_size is %zu, expected %zu",
                           name, given, size);
    memset(ours, 0, size);
    memcpy(ours, theirs, given);
    memcpy(ours, &size, sizeof size);
    return SSIMCU_OK;
}

/* Copies the library's struct into the caller's, up to the caller's size. The caller's struct_size
 * stays. */
static inline void ssimcu_sized_write(void *theirs, const void *ours)
{
    size_t given;
    memcpy(&given, theirs, sizeof given);
    memcpy((char *)theirs + sizeof given, (const char *)ours + sizeof given, given - sizeof given);
}
