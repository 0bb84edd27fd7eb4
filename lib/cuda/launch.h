/* The kernels of a plan, from samples in device memory to sums and means, queued on a stream. They
 * run both for pairs of host memory, once uploaded, and for the caller's device frames. */
#ifndef SSIMCU_CUDA_LAUNCH_H
#define SSIMCU_CUDA_LAUNCH_H

#include "kernels.h"
#include "memory.h"

/* Returns the error of a call from a function that queues work. */
#define TRY_LAUNCH(call)                                                                           \
    do {                                                                                           \
        const cudaError_t error_ = (call);                                                         \
        if (error_ != cudaSuccess) return error_;                                                  \
    } while (0)

/* A plan's samples and memory on the device. */
struct ssimcu_cuda_place {
    struct ssimcu_samples samples[SSIMCU_PAIR];
    float *planes[SSIMCU_PAIR];                   /* planes of one pair */
    struct ssimcu_curve_range range[SSIMCU_PAIR]; /* curves of a plan that is `fixed`, ... */
    struct ssimcu_curve_piece *pieces;            /* ... and the pieces of both */
    double *partial;                              /* partial sums of all pairs, then cells */
    float *map;                                   /* map of one pair */
    void *metrics;                                /* metrics.h */
    struct ssimcu_samples chroma[2][SSIMCU_PAIR]; /* U and V, if the plan has chroma */
    double *results;                              /* ssimcu_plan_results */
};

/* Returns the places in a block. The caller sets the samples. */
struct ssimcu_cuda_place ssimcu_cuda_place(const struct ssimcu_cuda_layout *layout, void *block);

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
