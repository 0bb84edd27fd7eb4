/* The kernels of a plan, from samples in device memory to sums and means, queued on a stream. They
 * serve uploaded pairs from host memory and the caller's device frames. */
#pragma once

#include "device.h"
#include "tasks.h"

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Start of each part in the block for plans, in bytes, and its end. Pairs and passes follow each
 * other on a stream, so they share all parts except the results. */
struct ssimcu_cuda_layout {
    size_t samples[SSIMCU_PAIR], planes[SSIMCU_PAIR], pieces, partial, map, metrics, results, end;
    size_t results_bytes; /* of all plans */
};

/* Lays out the block for consecutive plans, with or without room for uploaded samples. */
struct ssimcu_cuda_layout ssimcu_cuda_lay_out(const struct ssimcu_plan *plan, uint32_t plans,
                                              int uploads);

/* Returns a part's address in the block. */
static inline void *ssimcu_cuda_part(void *block, size_t start) { return (char *)block + start; }

/* Returns the places of all parts in a block. The caller sets the samples. */
struct ssimcu_cuda_place ssimcu_cuda_place(const struct ssimcu_cuda_layout *layout, void *block);

/* ---- Kernels --------------------------------------------------------------------------------- */

/* Makes the curves of a `fixed` plan, and queues the copy of their pieces. The caller keeps `curve`
 * for the next plan, which may have the same curves. */
cudaError_t ssimcu_cuda_set_curves(const struct ssimcu_plan *plan,
                                   struct ssimcu_curve curve[SSIMCU_PAIR],
                                   struct ssimcu_cuda_place *place, cudaStream_t stream);

/* The ends of the stages of one pass, for measuring times. A stage that does not run leaves its
 * mark unchanged. */
struct ssimcu_cuda_marks {
    cudaEvent_t begin, planes, ssim, reduce;
};

/* Queues one pass of the plan; `marks` may be NULL. */
cudaError_t ssimcu_cuda_launch(const struct ssimcu_plan *plan, uint32_t pass,
                               const struct ssimcu_cuda_place *place,
                               const struct ssimcu_cuda_marks *marks, cudaStream_t stream);
