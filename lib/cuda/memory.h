/* The device memory of plans: one block that holds all their parts. Pairs and passes follow each
 * other on a stream, so that they share all but the results. */
#ifndef SSIMCU_CUDA_MEMORY_H
#define SSIMCU_CUDA_MEMORY_H

#include "device.h"

/* Where each part of the block starts, in bytes, and its end. */
struct ssimcu_cuda_layout {
    size_t samples[SSIMCU_PAIR], planes[SSIMCU_PAIR], partial, map, results, end;
};

/* The block for plans that are submitted one after the other, with room for uploaded samples or
 * without. */
struct ssimcu_cuda_layout ssimcu_cuda_lay_out(const struct ssimcu_plan *plan, uint32_t plans,
                                              int uploads);

/* The results of the plans, in bytes. */
size_t ssimcu_cuda_results_bytes(const struct ssimcu_plan *plan, uint32_t plans);

/* A part's address in the block. */
static inline void *ssimcu_cuda_part(void *block, size_t start) { return (char *)block + start; }

#endif
