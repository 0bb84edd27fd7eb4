/* The state of a context on a CUDA device. */
#ifndef SSIMCU_CUDA_STATE_H
#define SSIMCU_CUDA_STATE_H

#include "cuda/patches.h"
#include "cuda/scale.h"
#include "launch.h"

/* Passes under way at a time: the passes of one plan, or the planes of a video frame. */
enum { SSIMCU_CUDA_RUNS = SSIMCU_MAX_CHANNELS };

struct ssimcu_backend_state {
    int device;
    struct ssimcu_traits traits;
    cudaStream_t stream;
    cudaEvent_t done; /* event of a sleeping wait; NULL: the wait spins */
    /* Memory, as of the last reserve. */
    struct ssimcu_cuda_layout layout;
    void *block; /* device memory */
    size_t block_bytes;
    double *host_results; /* pinned memory */
    size_t host_results_bytes;
    struct ssimcu_curve curve[SSIMCU_PAIR]; /* curves of the last plan that had some */
    /* Submissions since the last reserve. */
    struct ssimcu_results submitted[SSIMCU_MAX_CHANNELS];
    uint32_t plans;
    size_t results_bytes; /* bytes of the submitted plans' results */
    /* Each pass's marks on the stream, and whether they were set. */
    struct ssimcu_cuda_run {
        cudaEvent_t upload;
        struct ssimcu_cuda_marks marks;
        int uploads, has_planes; /* stages that ran */
    } run[SSIMCU_CUDA_RUNS];
    uint32_t runs;
    cudaEvent_t end;
    struct ssimcu_cuda_plane scaled[SSIMCU_SCALE_PLACES];
    struct ssimcu_cuda_taps *taps;
    struct ssimcu_cuda_patches patches;
};

/* Pairs in device memory: see request.c. */
ssimcu_status ssimcu_cuda_request_bytes(const struct ssimcu_plan *plan, uint64_t *device_bytes,
                                        uint64_t *pinned_bytes, ssimcu_message *message);
ssimcu_status ssimcu_cuda_request_open(const struct ssimcu_backend_state *state,
                                       const struct ssimcu_plan *plan, int wait_asleep,
                                       struct ssimcu_backend_request **request,
                                       ssimcu_message *message);
void ssimcu_cuda_request_close(struct ssimcu_backend_request *request);
ssimcu_status ssimcu_cuda_request_submit(struct ssimcu_backend_request *request,
                                         const struct ssimcu_samples samples[SSIMCU_PAIR],
                                         void *stream, ssimcu_message *message);
ssimcu_status ssimcu_cuda_request_poll(struct ssimcu_backend_request *request, uint32_t *done,
                                       ssimcu_message *message);
ssimcu_status ssimcu_cuda_request_collect(struct ssimcu_backend_request *request,
                                          struct ssimcu_results *results, ssimcu_message *message);

#endif
