/* Scaling on CUDA. */
#ifndef SSIMCU_CUDA_SCALE_H
#define SSIMCU_CUDA_SCALE_H

#include "backend.h"

struct ssimcu_cuda_taps; /* tables in device memory */

/* A scaled plane in device memory. */
struct ssimcu_cuda_plane {
    void *data;
    size_t bytes;
};

ssimcu_status ssimcu_cuda_scale(struct ssimcu_backend_state *state, struct ssimcu_scale_task *task,
                                uint32_t place, ssimcu_message *message);

/* Frees what the state has for scaling. */
void ssimcu_cuda_scale_free(struct ssimcu_backend_state *state);

#endif
