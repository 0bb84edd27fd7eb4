/* The permute core, host side: how to move an N-dimensional array from one set of strides to
 * another. Plain integer arithmetic, no device, no allocation; each backend executes the plan.
 *
 * A permute is given as dimensions, each with a size, a stride in the source and a stride in the
 * destination, all in elements. "HWC to CHW" is not a special case: it is the dimensions
 * (H, W, C) with source strides (W*C, C, 1) and destination strides (W, 1, H*W).
 */
#ifndef SSIMCU_PERMUTE_PLAN_H
#define SSIMCU_PERMUTE_PLAN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SSIMCU_PERMUTE_MAX_RANK = 8,
    SSIMCU_PERMUTE_MAX_CHANNELS = 32 /* of the interleaved paths; more are tiled */
};

enum ssimcu_permute_path {
    SSIMCU_PERMUTE_COPY,         /* the innermost dimension is contiguous on both sides */
    SSIMCU_PERMUTE_DEINTERLEAVE, /* 2 to 32 interleaved channels -> planes (HWC -> CHW) */
    SSIMCU_PERMUTE_INTERLEAVE,   /* planes -> 2 to 32 interleaved channels (CHW -> HWC) */
    SSIMCU_PERMUTE_TILE,         /* different innermost dimensions: batched matrix transpose */
    SSIMCU_PERMUTE_BRICK,        /* short runs, brought together: permute_brick.h */
    SSIMCU_PERMUTE_GENERIC       /* anything else, element by element */
};

struct ssimcu_permute_dim {
    int64_t size;
    int64_t src_stride; /* elements */
    int64_t dst_stride; /* elements */
};

struct ssimcu_permute_plan {
    enum ssimcu_permute_path path;
    uint32_t element; /* bytes moved at once; the strides below count in it */
    int rank;         /* dimensions left after dropping and merging; 0 is a single element */
    int wide_index;   /* 64-bit offsets are needed on the device */
    /* Sorted by destination stride, largest first, so that the last is the destination's
     * innermost. */
    struct ssimcu_permute_dim dim[SSIMCU_PERMUTE_MAX_RANK];
    int src_inner; /* the source's innermost dimension, -1 when none has stride 1 there */
    /* Tile: the dimensions that make up the source's and the destination's inner index, as bits;
     * more than one where the innermost is short. They lie without gaps on their side. */
    uint32_t src_set, dst_set;
    int32_t brick[SSIMCU_PERMUTE_MAX_RANK]; /* Brick: indices of each dimension in one */
    enum ssimcu_permute_path plain_path;    /* without bricks, which are for a device */
};

/* Makes the plan for `rank` dimensions of elements of `element` bytes (1, 2, 4, 8 or 16).
 * `alignment` is a power of two that divides both base addresses; elements that lie together on
 * both sides are moved as one of up to that many bytes. Returns 0, or -1 when rank, a size or the
 * element is out of range; a size of 0 is out of range. */
int ssimcu_permute_plan_make(struct ssimcu_permute_plan *plan, int rank,
                             const struct ssimcu_permute_dim *dims, uint32_t element,
                             size_t alignment);

/* The first half of that: drops dimensions of one index, sorts the others and merges those that lie
 * one in the other on both sides. There is no path yet: the planes stage, whose elements change on
 * the way, has one of its own. */
int ssimcu_permute_plan_merge(struct ssimcu_permute_plan *plan, int rank,
                              const struct ssimcu_permute_dim *dims, uint32_t element);

/* Number of moved elements. */
int64_t ssimcu_permute_plan_count(const struct ssimcu_permute_plan *plan);

/* Writes the plan as one line, such as "deinterleave 1 B, 3x8294400 [src 1,3 dst 8294400,1]", cut
 * to `size` bytes; returns text. */
const char *ssimcu_permute_plan_print(const struct ssimcu_permute_plan *plan, char *text,
                                      size_t size);

#ifdef __cplusplus
}
#endif

#endif
