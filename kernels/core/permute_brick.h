/* The brick path of a permute, host side. Where the elements that lie together are few on both
 * sides, a block of threads takes a brick: so many indices of each dimension that what it holds
 * lies in long runs in the source, and, otherwise cut, in long runs in the destination. Its runs
 * come to fast memory one after the other; from there each element of a destination's run is found
 * by a table, one for all runs, to which each run adds a number. Plain integer arithmetic, so that
 * the places are tested without a device.
 *
 * Bricks of one array all have the same shape. Where a dimension is no multiple of the brick, its
 * last brick is moved back to end with the dimension, and what it shares with the one before is
 * written twice, with the same values.
 */
#ifndef SSIMCU_PERMUTE_BRICK_H
#define SSIMCU_PERMUTE_BRICK_H

#include "permute_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SSIMCU_BRICK_CHUNK = 16,    /* bytes that a thread loads at once, at an aligned address */
    SSIMCU_BRICK_CHUNKS = 1024, /* that a brick's runs can touch, at most */
    SSIMCU_BRICK_LEAD = 12,     /* bytes free before each run, for the words of its first chunk */
    SSIMCU_BRICK_RUNS = 512,    /* on either side, at most */
    SSIMCU_BRICK_TABLE = 512    /* elements of a destination's run, at most */
};

/* Dimensions from one place to another; strides in elements, in fast memory in bytes. */
struct ssimcu_brick_side {
    int rank;
    struct ssimcu_permute_dim dim[SSIMCU_PERMUTE_MAX_RANK]; /* innermost first */
};

struct ssimcu_brick {
    int32_t src_run, src_runs; /* elements, how many; run q stands at LEAD + q * pitch bytes */
    int32_t dst_run, dst_runs;
    int32_t pitch; /* a multiple of 4 */
    /* Where the source's runs start: the source's strides as src_stride. */
    struct ssimcu_brick_side load;
    /* Where the elements of a destination's run stand, and what each run adds to that: strides in
     * fast memory as src_stride, those of the destination as dst_stride. */
    struct ssimcu_brick_side table, store;
    /* From brick to brick: the size is the number of bricks along a dimension, `step` the brick's
     * extent, `limit` where the last one starts. */
    struct ssimcu_brick_side bricks;
    int64_t step[SSIMCU_PERMUTE_MAX_RANK], limit[SSIMCU_PERMUTE_MAX_RANK];
};

/* Chooses a brick for a plan whose dimensions are final and sets plan->brick. Returns the shorter
 * of the runs in bytes, the source's or the destination's; 0 when no brick is worth a block. */
int64_t ssimcu_permute_brick_choose(struct ssimcu_permute_plan *plan);

/* Aligned chunks in which the 4-byte words of a run of so many bytes can start, the first one up to
 * `ahead` bytes after a chunk's start. */
static inline int32_t ssimcu_permute_brick_chunks(int64_t bytes, int32_t ahead)
{
    return (int32_t)((ahead / 4 + (bytes + 3) / 4 + 3) / 4);
}

/* The places, from plan->brick. */
void ssimcu_permute_brick_lay_out(const struct ssimcu_permute_plan *plan,
                                  struct ssimcu_brick *brick);

#ifdef __cplusplus
}
#endif

#endif
