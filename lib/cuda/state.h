/* What stands behind a context on a CUDA device. */
#ifndef SSIMCU_CUDA_STATE_H
#define SSIMCU_CUDA_STATE_H

#include "device.h"
#include "path.h"

/* Marks between the stages, on the stream. */
enum { MARK_START, MARK_UPLOADED, MARK_PERMUTED, MARK_SCORED, MARK_REDUCED, MARK_END, MARKS };

struct ssimcu_backend_state {
    int device;
    cudaStream_t stream;
    cudaEvent_t mark[SSIMCU_MAX_CHANNELS][MARKS]; /* of each pair that is under way */
    cudaEvent_t done;                             /* waited for asleep; NULL: the wait spins */
    int uploaded;                                 /* since the last download */
    uint32_t pairs, sums_count;                   /* reduced since the last download */
    struct ssimcu_path path;
    struct device_buffer frame[SSIMCU_PAIR], planes[SSIMCU_PAIR], partial, sums, map, means;
    double *host_sums; /* pinned */
};

/* Pairs in device memory; cuda/request.c. */
ssimcu_status ssimcu_cuda_request_bytes(const struct ssimcu_backend_state *state,
                                        const struct ssimcu_request_plan *plan,
                                        uint64_t *device_bytes, uint64_t *pinned_bytes,
                                        ssimcu_message *message);
ssimcu_status ssimcu_cuda_request_open(const struct ssimcu_backend_state *state,
                                       const struct ssimcu_request_plan *plan,
                                       struct ssimcu_backend_request **work,
                                       ssimcu_message *message);
void ssimcu_cuda_request_close(struct ssimcu_backend_request *work);
ssimcu_status ssimcu_cuda_request_submit(struct ssimcu_backend_request *work,
                                         const struct ssimcu_samples source[SSIMCU_PAIR],
                                         void *stream, ssimcu_message *message);
ssimcu_status ssimcu_cuda_request_poll(struct ssimcu_backend_request *work, uint32_t *done,
                                       ssimcu_message *message);
ssimcu_status ssimcu_cuda_request_wait(struct ssimcu_backend_request *work, const double **sums,
                                       const double **means, ssimcu_message *message);

#endif
