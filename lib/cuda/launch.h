/* The kernels of a plan, from samples in device memory to sums and means, queued on a stream. Pairs
 * of host memory, once uploaded, and the caller's device frames are both run by this. */
#ifndef SSIMCU_CUDA_LAUNCH_H
#define SSIMCU_CUDA_LAUNCH_H

#include "kernels.h"
#include "memory.h"

/* Where a plan finds its samples and its memory. */
struct ssimcu_cuda_place {
    struct ssimcu_samples samples[SSIMCU_PAIR];
    float *planes[SSIMCU_PAIR]; /* of one pair */
    double *partial;            /* of all pairs, then cells */
    float *map;                 /* of one pair */
    double *results;            /* sums of all passes and pairs, then means */
};

/* The place in a block; the samples are set by the caller. */
struct ssimcu_cuda_place ssimcu_cuda_place(const struct ssimcu_cuda_layout *layout, void *block);

/* The ends of the stages of one pass, where somebody wants to know their times. A stage that does
 * not run leaves its mark as it is. */
struct ssimcu_cuda_marks {
    cudaEvent_t begin, planes, ssim, reduce;
};

/* Queues one pass of the plan; `marks` may be NULL. */
cudaError_t ssimcu_cuda_launch(const struct ssimcu_plan *plan, uint32_t pass,
                               const struct ssimcu_cuda_place *place,
                               const struct ssimcu_cuda_marks *marks, cudaStream_t stream);

/* Partial sums of one pair and cells of its tiles, as ssimcu_traits asks. */
size_t ssimcu_cuda_partials(const struct ssimcu_plan *plan);

#endif
