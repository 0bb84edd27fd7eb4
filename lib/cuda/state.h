/* The state of a context on a CUDA device. */
#pragma once

#include "launch.h"

/* Passes in progress at once: the passes of one plan, or the planes of a video frame. */
enum { SSIMCU_CUDA_RUNS = SSIMCU_MAX_CHANNELS };

struct ssimcu_backend_state {
    int device;
    struct ssimcu_traits traits;
    cudaStream_t stream;
    cudaEvent_t done; /* event of a sleeping wait; NULL: waits spin */
    /* Memory since the last reserve. */
    struct ssimcu_cuda_layout layout;
    struct ssimcu_cuda_memory block, host_results;
    struct ssimcu_curve curve[SSIMCU_PAIR]; /* curves of the last plan that had any */
    /* Submissions since the last reserve. */
    struct ssimcu_results submitted[SSIMCU_MAX_CHANNELS];
    uint32_t plans;
    size_t results_bytes; /* bytes of the submitted plans' results */
    /* Each pass's marks on the stream, and whether they are set. */
    struct ssimcu_cuda_run {
        cudaEvent_t upload;
        struct ssimcu_cuda_marks marks;
        int uploads, has_planes; /* stages that ran */
    } run[SSIMCU_CUDA_RUNS];
    uint32_t runs;
    cudaEvent_t end;
    struct ssimcu_cuda_memory scaled[SSIMCU_SCALE_PLACES];
    struct ssimcu_cuda_taps *taps;     /* tables in device memory: scale.c */
    struct ssimcu_cuda_memory patches; /* first their places, then their pixels */
};

/* Pairs in device memory: request.c. */
extern const struct ssimcu_backend_requests ssimcu_cuda_requests;

/* Scaling, and freeing its memory. */
ssimcu_status ssimcu_cuda_scale(struct ssimcu_backend_state *state, struct ssimcu_scale_task *task,
                                uint32_t place, ssimcu_message *message);
void ssimcu_cuda_scale_free(struct ssimcu_backend_state *state);

ssimcu_status ssimcu_cuda_patches(struct ssimcu_backend_state *state,
                                  struct ssimcu_patches_task *task, ssimcu_message *message);

/* The loss: loss.c. */
size_t ssimcu_cuda_loss_bytes(const struct ssimcu_backend_state *state,
                              const struct ssimcu_loss_task *task);
ssimcu_status ssimcu_cuda_loss(struct ssimcu_backend_state *state,
                               const struct ssimcu_loss_task *task, void *stream,
                               ssimcu_message *message);
ssimcu_status ssimcu_cuda_loss_scale(struct ssimcu_backend_state *state,
                                     const struct ssimcu_loss_task *task, const void *factor,
                                     void *stream, ssimcu_message *message);
