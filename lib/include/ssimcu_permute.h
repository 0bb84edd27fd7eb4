/* ssimcu's permute: an array and the same array with its dimensions in another order. It serves any
 * array, not pictures alone, and needs no context. Arrays in device memory: ssimcu_cuda.h. The
 * rules of ssimcu.h hold.
 */
#ifndef SSIMCU_PERMUTE_H
#define SSIMCU_PERMUTE_H

#include "ssimcu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Permute --------------------------------------------------------------------------------- */

/* An array in memory, and the order and place of its dimensions in a second one. A frame of
 * 3840x2160 RGB bytes whose rows are 12288 bytes apart becomes dense planes (HWC -> CHW):
 *
 *     const ssimcu_permute_layout planes = {.struct_size = sizeof planes,
 *                                           .rank = 3,
 *                                           .element = 1,
 *                                           .size = {2160, 3840, 3},
 *                                           .order = {2, 0, 1},
 *                                           .src_stride = {12288, 3, 1}};
 *
 * Sizes and strides have 64 bits. Dimensions that stay adjacent are merged and elements that stay
 * together are moved together, so that any form of the same permute is equally fast. */
typedef struct ssimcu_permute_layout {
    size_t struct_size;
    uint32_t rank;         /* dimensions, 1 to 8; entries beyond are ignored */
    uint32_t element;      /* bytes: 1, 2, 4, 8 or 16; any type of that size */
    int64_t size[8];       /* of the source, outermost dimension first; each 1 or more */
    uint32_t order[8];     /* dimension k of the destination is dimension order[k] of the source */
    int64_t src_stride[8]; /* elements from one to the next, for each dimension of the source */
    int64_t dst_stride[8]; /* likewise for each dimension of the destination; each steps over all
                              that the dimensions of smaller strides span, so that no two elements
                              share a place. Either list all 0: dense, rows without padding. Source
                              strides are 1 or more, too, but may overlap. */
} ssimcu_permute_layout;

/* Writes the array at src, in host memory, to dst in the given order. Uses the context's threads,
 * whatever its device; with context NULL, the calling thread alone, and then from any thread. Bytes
 * between the destination's elements keep their values. Both pointers must be aligned to the
 * element, and the memory from the first to the last element must not overlap.
 * Errors: ARGUMENT; nothing has been written then. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_permute(ssimcu_context *context,
                                                          const ssimcu_permute_layout *layout,
                                                          void *dst, const void *src,
                                                          ssimcu_message *message);

#ifdef __cplusplus
}
#endif

#endif
