/* Patches on CUDA: a kernel reads their places from pinned memory, and writes their pixels there.
 * One launch and one wait take less time than copies before and after it. */
#include "fail.h"
#include "kernels.h"
#include "state.h"

#include <string.h>

static ssimcu_status gather(struct ssimcu_backend_state *state, struct ssimcu_patches_task *task,
                            ssimcu_message *message)
{
    const size_t places = task->places * sizeof *task->place;
    size_t most = 1 << 16; /* a power of two, because sizes grow slightly between calls */
    while (most < places + task->bytes) most *= 2;
    TRY(ssimcu_cuda_grow(&state->patches, most, message));
    memcpy(state->patches.data, task->place, places);
    task->place = state->patches.data;
    task->to = (char *)state->patches.data + places;
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
