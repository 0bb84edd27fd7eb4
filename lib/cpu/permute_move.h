/* Moves one rectangle of a permute. permute.c cuts a plan into such rectangles. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Two dimensions of an array, the destination's innermost first. Steps are in bytes. */
struct ssimcu_rectangle {
    char *dst;
    const char *src;
    int64_t size[2];
    int64_t src_step[2], dst_step[2];
    size_t element;  /* bytes: 1, 2, 4, 8 or 16 */
    int past_caches; /* the array would only evict other data from the caches */
};

/* Moves with any steps, element by element. */
void ssimcu_move_strided(const struct ssimcu_rectangle *rectangle);

/* Moves rows that are contiguous on both sides: both step by one element along dimension 0. */
void ssimcu_move_rows(const struct ssimcu_rectangle *rectangle);

/* Transposes a rectangle of any size. dst_step[0] and src_step[1] are one element. Two to eight
 * adjacent columns or rows, such as interleaved channels, use a faster path. */
void ssimcu_move_transposed(const struct ssimcu_rectangle *rectangle);

/* Makes stores past the caches visible to other threads. Each thread calls it after its last
 * rectangle. It waits for memory, so do not call it for each rectangle. */
void ssimcu_move_settle(void);
