/* Patches: they gather pixels from anywhere in planes into consecutive bytes. The CPU and the GPU
 * both include this file. */
#pragma once

#include "core/pixel.h"

enum { SSIMCU_PATCH_PLANES = 6 }; /* most planes per task */

/* A plane in memory of the device. All are bytes. */
struct ssimcu_patch_plane {
    const void *data;
    int64_t pitch;
    uint32_t stride; /* distance of pixels in a row */
    uint32_t pixel;  /* size of its samples */
};

/* columns x rows pixels of a plane from (x, y), each `step` pixels from the next. They go to byte
 * `to` and on, row after row. */
struct ssimcu_patch_place {
    uint32_t plane, x, y, columns, rows, step;
    uint64_t to;
};

struct ssimcu_patches_task {
    struct ssimcu_patch_plane plane[SSIMCU_PATCH_PLANES];
    const struct ssimcu_patch_place *place; /* memory of the device */
    uint32_t places;
    uint64_t bytes; /* size of all pixels */
    void *to;
};

/* Copies pixel `index` of a patch. */
SSIMCU_HOST_DEVICE void ssimcu_patch_copy(const struct ssimcu_patches_task *task,
                                          const struct ssimcu_patch_place *place, uint32_t index)
{
    const struct ssimcu_patch_plane *plane = &task->plane[place->plane];
    const int64_t x = place->x + (int64_t)(index % place->columns) * place->step;
    const int64_t y = place->y + (int64_t)(index / place->columns) * place->step;
    const uint8_t *const from = (const uint8_t *)plane->data + y * plane->pitch + x * plane->stride;
    uint8_t *const to = (uint8_t *)task->to + place->to + (uint64_t)index * plane->pixel;
    for (uint32_t i = 0; i < plane->pixel; i++) to[i] = from[i];
}
