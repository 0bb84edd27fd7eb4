/* Permute copies an array and reorders its dimensions. It serves any array, not only pictures, and
 * needs no context. ssimcu_cuda.h permutes arrays in device memory. The rules of ssimcu.h apply. */
#ifndef SSIMCU_PERMUTE_H
#define SSIMCU_PERMUTE_H

#include "ssimcu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Permute --------------------------------------------------------------------------------- */

/* The layout of a source array in memory, and the order and strides of its dimensions in the
 * destination. This one makes dense planes (HWC -> CHW) of a frame of 3840x2160 RGB bytes whose
 * rows are 12288 bytes apart:
 *
 *     const ssimcu_permute_layout planes =
 *         SSIMCU_INIT(permute_layout, .rank = 3, .element = 1, .size = {2160, 3840, 3},
 *                     .order = {2, 0, 1}, .src_stride = {12288, 3, 1});
 *
 * Sizes and strides have 64 bits. The library merges dimensions that stay adjacent and moves
 * elements together that stay together, so every form of the same permute is equally fast.
 *
 * STRIDES. Strides count elements and are 1 or more. If all strides of a list are 0, that array is
 * dense. Each destination stride must exceed the span of all dimensions with smaller strides, so
 * that no two elements share a place. Elements of the source may overlap. */
typedef struct ssimcu_permute_layout {
    size_t struct_size;
    uint32_t rank;         /* number of dimensions, 1 to 8; further entries are ignored */
    uint32_t element;      /* bytes of an element: 1, 2, 4, 8 or 16; any type of that size */
    int64_t size[8];       /* sizes of the source, outermost dimension first; each 1 or more */
    uint32_t order[8];     /* dimension k of the destination is dimension order[k] of the source */
    int64_t src_stride[8]; /* source strides in elements, per dimension */
    int64_t dst_stride[8]; /* destination strides in elements, per dimension */
} ssimcu_permute_layout;

/* Copies the array at src, in host memory, to dst in the given order. Uses the context's threads,
 * also if its device is a GPU. If `context` is NULL, the calling thread does all the work, and any
 * thread may call it. Bytes between the destination's elements keep their values. Both pointers
 * must be aligned to the element. The two arrays, each from its first to its last element, must not
 * overlap in memory. Errors: ARGUMENT; nothing is written then. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_permute(ssimcu_context *context,
                                                          const ssimcu_permute_layout *layout,
                                                          void *dst, const void *src,
                                                          ssimcu_message *message);

#ifdef __cplusplus
}
#endif

#endif
