/* Patches on CUDA: their places go up, a kernel gathers their pixels, and those come down. */
#include "cuda/patches.h"

#include "cuda/device.h"
#include "kernels.h"
#include "state.h"

#include <string.h>

void ssimcu_cuda_patches_free(struct ssimcu_backend_state *state)
{
    (void)cudaFree(state->patches.device);
    (void)cudaFreeHost(state->patches.host);
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
    TRY_CUDA(cudaMalloc(&own->device, most), "device memory");
    TRY_CUDA(cudaMallocHost(&own->host, most), "pinned memory");
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
    char *const pixels = (char *)own->host + places;
    memcpy(own->host, task->place, places);
    TRY_CUDA(cudaMemcpyAsync(own->device, own->host, places, cudaMemcpyHostToDevice, state->stream),
             "upload");
    task->place = own->device;
    task->to = (char *)own->device + places;
    TRY_CUDA(ssimcu_patches_cuda(task, state->stream), "reading patches");
    TRY_CUDA(cudaMemcpyAsync(pixels, task->to, task->bytes, cudaMemcpyDeviceToHost, state->stream),
             "download");
    task->to = pixels;
    return SSIMCU_OK;
}

ssimcu_status ssimcu_cuda_patches(struct ssimcu_backend_state *state,
                                  struct ssimcu_patches_task *task, ssimcu_message *message)
{
    const int before = ssimcu_cuda_enter(state->device);
    const ssimcu_status queued = gather(state, task, message);
    const ssimcu_status waited = ssimcu_cuda_wait(state->stream, state->done, message);
    ssimcu_cuda_leave(before);
    return queued != SSIMCU_OK ? queued : waited;
}
