/* Patches on CUDA: a kernel reads their places from pinned memory, and writes their pixels there.
 * One launch and one wait take less time than copies before and behind it. */
#include "cuda/patches.h"

#include "cuda/device.h"
#include "kernels.h"
#include "state.h"

#include <string.h>

void ssimcu_cuda_patches_free(struct ssimcu_backend_state *state)
{
    (void)cudaFreeHost(state->patches.memory);
    state->patches = (struct ssimcu_cuda_patches){0};
}

/* Grows the memory to a power of two, because looks at frames need a little more now and then. */
static ssimcu_status reserve(struct ssimcu_backend_state *state, size_t bytes,
                             ssimcu_message *message)
{
    struct ssimcu_cuda_patches *const own = &state->patches;
    size_t most = 1 << 16;
    if (own->bytes >= bytes) return SSIMCU_OK;
    ssimcu_cuda_patches_free(state);
    while (most < bytes) most *= 2;
    TRY_CUDA(cudaMallocHost(&own->memory, most), "pinned memory");
    own->bytes = most;
    return SSIMCU_OK;
}

static ssimcu_status gather(struct ssimcu_backend_state *state, struct ssimcu_patches_task *task,
                            ssimcu_message *message)
{
    const size_t places = task->places * sizeof *task->place;
    const ssimcu_status status = reserve(state, places + task->bytes, message);
    if (status != SSIMCU_OK) return status;
    const struct ssimcu_cuda_patches *const own = &state->patches;
    memcpy(own->memory, task->place, places);
    task->place = own->memory;
    task->to = (char *)own->memory + places;
    TRY_CUDA(ssimcu_patches_cuda(task, state->stream), "reading patches");
    return SSIMCU_OK;
}

ssimcu_status ssimcu_cuda_patches(struct ssimcu_backend_state *state,
                                  struct ssimcu_patches_task *task, ssimcu_message *message)
{
    const struct ssimcu_cuda_current before = ssimcu_cuda_enter(state->device);
    const ssimcu_status queued = gather(state, task, message);
    const ssimcu_status waited = ssimcu_cuda_wait(state->stream, state->done, message);
    ssimcu_cuda_leave(before);
    return queued != SSIMCU_OK ? queued : waited;
}
