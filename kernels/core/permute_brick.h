/* The brick path of a permute, host side. It serves arrays whose elements lie together in short
 * runs on both sides. A block of threads takes a brick, which is so many indices of each dimension.
 * The brick is large enough to consist of long runs in the source, and of other long runs in the
 * destination. The block brings the source's runs to fast memory one after the other. A table says
 * where each element of a destination's run stands there; one table serves all runs, and each run
 * adds a number to it. All of it is plain integer arithmetic, so that the places are tested without
 * a device.
 *
 * All bricks of an array have the same shape. If a dimension is no multiple of the brick, its last
 * brick is moved back to end with the dimension. What it shares with the one before is written
 * twice, with the same values.
 */
#ifndef SSIMCU_PERMUTE_BRICK_H
#define SSIMCU_PERMUTE_BRICK_H

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

/* Dimensions that lead from one place to another. Strides count elements, in fast memory bytes. */
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
    /* Places of the elements of a destination's run, and what each run adds to them. src_stride is
     * the stride in fast memory, dst_stride that of the destination. */
    struct ssimcu_brick_side table, store;
    /* Steps from brick to brick. A size is the number of bricks along a dimension, `step` a brick's
     * extent, and `limit` the start of the last brick. */
    struct ssimcu_brick_side bricks;
    int64_t step[SSIMCU_PERMUTE_MAX_RANK], limit[SSIMCU_PERMUTE_MAX_RANK];
};

/* Chooses a brick for a plan whose dimensions are final, and sets plan->brick. Returns the bytes of
 * the source's runs or of the destination's, whichever are shorter. Returns 0 if no brick is worth
 * a block. */
int64_t ssimcu_permute_brick_choose(struct ssimcu_permute_plan *plan);

/* Returns the most aligned chunks in which the 4-byte words of a run can start. The run has `bytes`
 * bytes, and starts up to `ahead` bytes after a chunk's start. */
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

#endif
