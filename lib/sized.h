/* Structs that say their own size. A caller that was built with an older header hands in a shorter
 * one: what it lacks counts as 0, and nothing beyond its end is read or written. A longer one asks
 * for what this library does not know, and is refused. */
#ifndef SSIMCU_SIZED_H
#define SSIMCU_SIZED_H

#include "ssimcu.h"

/* The size that each struct was first published with; what was added since is optional. */
enum {
    SSIMCU_SETTINGS_OLDEST = 56,
    SSIMCU_DEVICE_INFO_OLDEST = 152,
    SSIMCU_SCORE_OLDEST = 96,
    SSIMCU_MAP_OLDEST = 32,
    SSIMCU_PERMUTE_LAYOUT_OLDEST = 240,
    SSIMCU_VIEW_OLDEST = 88, /* without `frames` and what follows */
    SSIMCU_TILES_OLDEST = 32,
    SSIMCU_MEMORY_OLDEST = 24
};

/* Copies the caller's struct into ours, `size` bytes, and sets its struct_size to ours. `name` is
 * what the message calls it. Errors: ARGUMENT. */
ssimcu_status ssimcu_sized_read(void *own, size_t size, size_t oldest, const void *theirs,
                                const char *name, ssimcu_message *message);

/* Copies ours into the caller's, as far as that reaches; its struct_size stays. */
void ssimcu_sized_write(void *theirs, const void *own);

#endif
