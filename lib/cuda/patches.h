/* Patches of views on CUDA. */
#ifndef SSIMCU_CUDA_PATCHES_H
#define SSIMCU_CUDA_PATCHES_H

#include "backend.h"

/* Memory for patches: first their places, then their pixels. */
struct ssimcu_cuda_patches {
    void *memory; /* pinned */
    size_t bytes;
};

ssimcu_status ssimcu_cuda_patches(struct ssimcu_backend_state *state,
                                  struct ssimcu_patches_task *task, ssimcu_message *message);

/* Frees what the state has for patches. */
void ssimcu_cuda_patches_free(struct ssimcu_backend_state *state);

#endif
