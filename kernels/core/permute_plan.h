/* The permute core, host side: it plans how to move an N-dimensional array from one set of strides
 * to another. It is plain integer arithmetic, without a device and without allocation. Each backend
 * executes the plan.
 *
 * A permute is a list of dimensions. Each has a size, a stride in the source and a stride in the
 * destination, all in elements. "HWC to CHW" is not a special case, but the dimensions (H, W, C)
 * with source strides (W*C, C, 1) and destination strides (W, 1, H*W).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SSIMCU_PERMUTE_MAX_RANK = 8,
    SSIMCU_PERMUTE_MAX_CHANNELS = 32 /* limit of the interleaved paths; more channels are tiled */
};

enum ssimcu_permute_path {
    SSIMCU_PERMUTE_COPY,         /* the innermost dimension is contiguous on both sides */
    SSIMCU_PERMUTE_DEINTERLEAVE, /* HWC -> CHW: 2 to 32 interleaved channels -> planes */
    SSIMCU_PERMUTE_INTERLEAVE,   /* CHW -> HWC: planes -> 2 to 32 interleaved channels */
    SSIMCU_PERMUTE_TILE,         /* different innermost dimensions: batched matrix transpose */
    SSIMCU_PERMUTE_BRICK,        /* short runs, gathered into bricks: permute_brick.h */
    SSIMCU_PERMUTE_GENERIC       /* anything else, element by element */
};

struct ssimcu_permute_dim {
    int64_t size;
    int64_t src_stride; /* elements */
    int64_t dst_stride; /* elements */
};

struct ssimcu_permute_plan {
    enum ssimcu_permute_path path;
    uint32_t element; /* bytes moved at once; the strides below count such elements */
    int rank;         /* dimensions left after dropping and merging; 0: a single element */
    int wide_index;   /* nonzero: the device needs 64-bit offsets */
    /* Dimensions sorted by destination stride, largest first, so that the last is the destination's
     * innermost. */
    struct ssimcu_permute_dim dim[SSIMCU_PERMUTE_MAX_RANK];
    int src_inner; /* the source's innermost dimension; -1: no stride is 1 there */
    /* Tile: the dimensions of the inner index of the source and of the destination, as bits. A set
     * has several dimensions if the innermost is short. They are contiguous on their side. */
    uint32_t src_set, dst_set;
    int32_t brick[SSIMCU_PERMUTE_MAX_RANK]; /* Brick: indices of each dimension in one brick */
    enum ssimcu_permute_path plain_path;    /* the path without bricks; only devices use bricks */
};

/* Makes the plan for `rank` dimensions of elements of `element` bytes (1, 2, 4, 8 or 16).
 * `alignment` is a power of two that divides both base addresses. Elements that are contiguous on
 * both sides are moved as one of up to that many bytes. Returns 0, or -1 if the rank, a size or the
 * element is out of range. A size of 0 is out of range. */
int ssimcu_permute_plan_make(struct ssimcu_permute_plan *plan, int rank,
                             const struct ssimcu_permute_dim *dims, uint32_t element,
                             size_t alignment);

/* Does the first half of that: drops dimensions of size 1, sorts the others, and merges neighbours
 * that are contiguous on both sides. It chooses no path. The planes stage, which converts elements
 * on the way, has a separate one. */
int ssimcu_permute_plan_merge(struct ssimcu_permute_plan *plan, int rank,
                              const struct ssimcu_permute_dim *dims, uint32_t element);

/* Returns the number of moved elements. */
int64_t ssimcu_permute_plan_count(const struct ssimcu_permute_plan *plan);

/* Writes the plan as one line, such as "deinterleave 1 B, 3x8294400 [src 1,3 dst 8294400,1]", cut
 * to `size` bytes; returns text. */
const char *ssimcu_permute_plan_print(const struct ssimcu_permute_plan *plan, char *text,
                                      size_t size);

#ifdef __cplusplus
}
#endif
