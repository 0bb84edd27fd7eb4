/* ssimcu's permute copies an array to one with its dimensions in another order. It serves any
 * array, not only pictures, and needs no context. ssimcu_cuda.h permutes arrays in device memory.
 * The rules of ssimcu.h hold. */
#ifndef SSIMCU_PERMUTE_H
#define SSIMCU_PERMUTE_H

#include "ssimcu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Permute --------------------------------------------------------------------------------- */

/* The layout of an array in memory, and the order and place of its dimensions in a second array.
 * This one makes dense planes (HWC -> CHW) of a frame of 3840x2160 RGB bytes whose rows are 12288
 * bytes apart:
 *
 *     const ssimcu_permute_layout planes =
 *         SSIMCU_INIT(permute_layout, .rank = 3, .element = 1, .size = {2160, 3840, 3},
 *                     .order = {2, 0, 1}, .src_stride = {12288, 3, 1});
 *
 * Sizes and strides have 64 bits. The library merges dimensions that stay adjacent and moves
 * elements together that stay together. So every form of the same permute is equally fast.
 *
 * STRIDES. Strides count elements and are 1 or more. If all strides of a list are 0, that array is
 * dense, with rows without padding. Each destination stride must step over all that the dimensions
 * of smaller strides span, so that no two elements share a place. Elements of the source may
 * overlap. */
typedef struct ssimcu_permute_layout {
    size_t struct_size;
    uint32_t rank;         /* number of dimensions, 1 to 8; entries beyond are ignored */
    uint32_t element;      /* bytes of an element: 1, 2, 4, 8 or 16; any type of that size */
    int64_t size[8];       /* sizes of the source, outermost dimension first; each 1 or more */
    uint32_t order[8];     /* dimension k of the destination is dimension order[k] of the source */
    int64_t src_stride[8]; /* source: elements from one to the next, per dimension */
    int64_t dst_stride[8]; /* destination: elements from one to the next, per dimension */
} ssimcu_permute_layout;

/* Writes the array at src, in host memory, to dst in the given order. It uses the context's
 * threads, whatever its device. If `context` is NULL, the calling thread does all the work, and any
 * thread may call. Bytes between the destination's elements keep their values. Both pointers must
 * be aligned to the element. The two arrays, each from its first to its last element, must not
 * overlap in memory.
 * Errors: ARGUMENT; nothing has been written then. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_permute(ssimcu_context *context,
                                                          const ssimcu_permute_layout *layout,
                                                          void *dst, const void *src,
                                                          ssimcu_message *message);

#ifdef __cplusplus
}
#endif

#endif
