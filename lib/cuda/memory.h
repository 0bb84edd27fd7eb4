/* The device memory of plans: one block that holds all their parts. Pairs and passes follow each
 * other on a stream, so they share all parts except the results. */
#ifndef SSIMCU_CUDA_MEMORY_H
#define SSIMCU_CUDA_MEMORY_H

#include "device.h"
#include "place.h"

/* Starts of each part of the block, in bytes, and the end of the block. */
struct ssimcu_cuda_layout {
    size_t samples[SSIMCU_PAIR], planes[SSIMCU_PAIR], pieces, partial, map, metrics, results, end;
};

/* Lays out the block for plans that are submitted one after the other, with or without room for
 * uploaded samples. */
struct ssimcu_cuda_layout ssimcu_cuda_lay_out(const struct ssimcu_plan *plan, uint32_t plans,
                                              int uploads);

/* Returns the bytes of the plans' results. */
size_t ssimcu_cuda_results_bytes(const struct ssimcu_plan *plan, uint32_t plans);

/* Returns a part's address in the block. */
static inline void *ssimcu_cuda_part(void *block, size_t start) { return (char *)block + start; }

/* Returns the places in a block. The caller sets the samples. */
struct ssimcu_cuda_place ssimcu_cuda_place(const struct ssimcu_cuda_layout *layout, void *block);

#endif
