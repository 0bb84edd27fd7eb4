/* The brick path of a permute, host side. It serves arrays whose elements lie together in short
 * runs on both sides. A block of threads takes a brick: a range of indices of each dimension. The
 * brick is large enough to have long runs in the source, and other long runs in the destination.
 * The block copies the source's runs to fast memory one after the other. A table maps each element
 * of a destination's run to its place there. One table serves all runs; each run adds an offset to
 * it. Everything is plain integer arithmetic, so that tests need no device.
 *
 * All bricks of an array have the same shape. If a dimension is not a multiple of the brick, its
 * last brick is moved back to end with the dimension. The overlap with the brick before is written
 * twice, with the same values.
 */
#pragma once

#include "permute_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SSIMCU_BRICK_CHUNK = 16,    /* bytes that a thread loads at once, at an aligned address */
    SSIMCU_BRICK_CHUNKS = 1024, /* most chunks that a brick's runs can touch */
    SSIMCU_BRICK_LEAD = 12,     /* bytes free before each run, for the words of its first chunk */
    SSIMCU_BRICK_RUNS = 512,    /* most runs on either side */
    SSIMCU_BRICK_TABLE = 512    /* most elements of a destination's run */
};

/* Dimensions that lead from one place to another. Strides are in elements, or in bytes for fast
 * memory. */
struct ssimcu_brick_side {
    int rank;
    struct ssimcu_permute_dim dim[SSIMCU_PERMUTE_MAX_RANK]; /* innermost first */
};

struct ssimcu_brick {
    int32_t src_run, src_runs; /* elements of a run, and number of runs; run q stands at LEAD + q *
                                  pitch bytes */
    int32_t dst_run, dst_runs;
    int32_t pitch; /* bytes, a multiple of 4 */
    /* Starts of the source's runs, with the source's strides as src_stride. */
    struct ssimcu_brick_side load;
    /* Places of the elements of a destination's run, and the offset of each run. src_stride is the
     * stride in fast memory, dst_stride that of the destination. */
    struct ssimcu_brick_side table, store;
    /* Steps from brick to brick. A size is the number of bricks along a dimension, `step` a brick's
     * extent, and `limit` the start of the last brick. */
    struct ssimcu_brick_side bricks;
    int64_t step[SSIMCU_PERMUTE_MAX_RANK], limit[SSIMCU_PERMUTE_MAX_RANK];
};

/* Chooses a brick for a plan whose dimensions are final, and sets plan->brick. Returns the bytes of
 * the shorter runs, of source or destination. Returns 0 if no brick is worth a block. */
int64_t ssimcu_permute_brick_choose(struct ssimcu_permute_plan *plan);

/* Returns the largest number of aligned chunks that the 4-byte words of a run can start in. The run
 * has `bytes` bytes, and starts up to `ahead` bytes after a chunk's start. */
static inline int32_t ssimcu_permute_brick_chunks(int64_t bytes, int32_t ahead)
{
    return (int32_t)((ahead / 4 + (bytes + 3) / 4 + 3) / 4);
}

/* Lays out the places in fast memory, from plan->brick. */
void ssimcu_permute_brick_lay_out(const struct ssimcu_permute_plan *plan,
                                  struct ssimcu_brick *brick);

#ifdef __cplusplus
}
#endif
