/* The kernels of a plan, from samples in device memory to sums and means, queued on a stream. They
 * run both for pairs of host memory, once uploaded, and for the caller's device frames. */
#ifndef SSIMCU_CUDA_LAUNCH_H
#define SSIMCU_CUDA_LAUNCH_H

#include "device.h"
#include "tasks.h"

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Starts of each part of the block that holds all parts of plans, in bytes, and its end. Pairs and
 * passes follow each other on a stream, so they share all parts except the results. */
struct ssimcu_cuda_layout {
    size_t samples[SSIMCU_PAIR], planes[SSIMCU_PAIR], pieces, partial, map, metrics, results, end;
    size_t results_bytes; /* of all plans */
};

/* Lays out the block for plans that are submitted one after the other, with or without room for
 * uploaded samples. */
struct ssimcu_cuda_layout ssimcu_cuda_lay_out(const struct ssimcu_plan *plan, uint32_t plans,
                                              int uploads);

/* Returns a part's address in the block. */
static inline void *ssimcu_cuda_part(void *block, size_t start) { return (char *)block + start; }

/* Returns the places in a block. The caller sets the samples. */
struct ssimcu_cuda_place ssimcu_cuda_place(const struct ssimcu_cuda_layout *layout, void *block);

/* ---- Kernels --------------------------------------------------------------------------------- */

/* Makes the curves of a plan that is `fixed`, and queues the copy of their pieces. The caller keeps
 * `curve` for the next plan, which may have the same. */
cudaError_t ssimcu_cuda_set_curves(const struct ssimcu_plan *plan,
                                   struct ssimcu_curve curve[SSIMCU_PAIR],
                                   struct ssimcu_cuda_place *place, cudaStream_t stream);

/* The ends of the stages of one pass, for measuring times. A stage that does not run leaves its
 * mark as it is. */
struct ssimcu_cuda_marks {
    cudaEvent_t begin, planes, ssim, reduce;
};

/* Queues one pass of the plan; `marks` may be NULL. */
cudaError_t ssimcu_cuda_launch(const struct ssimcu_plan *plan, uint32_t pass,
                               const struct ssimcu_cuda_place *place,
                               const struct ssimcu_cuda_marks *marks, cudaStream_t stream);

#endif
