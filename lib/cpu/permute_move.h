/* Moving one rectangle of a permute: what permute.c cuts a plan into. */
#ifndef SSIMCU_PERMUTE_MOVE_H
#define SSIMCU_PERMUTE_MOVE_H

#include <stddef.h>
#include <stdint.h>

/* Two dimensions of an array, the destination's innermost first. Steps are bytes. */
struct ssimcu_rectangle {
    char *dst;
    const char *src;
    int64_t size[2];
    int64_t src_step[2], dst_step[2];
    size_t element; /* bytes: 1, 2, 4, 8 or 16 */
};

/* Any steps, element by element. */
void ssimcu_move_strided(const struct ssimcu_rectangle *rectangle);

/* Both step by one element along dimension 0: rows that lie together on both sides. */
void ssimcu_move_rows(const struct ssimcu_rectangle *rectangle);

/* dst_step[0] and src_step[1] are one element: a transpose of any size. Two to four columns or rows
 * that touch each other, that is interleaved channels, take a faster way. */
void ssimcu_move_transposed(const struct ssimcu_rectangle *rectangle);

#endif
