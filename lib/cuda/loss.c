/* The loss on CUDA. It only queues kernels, because a graph may be capturing the stream. */
#include "kernels.h"
#include "state.h"

size_t ssimcu_cuda_loss_bytes(const struct ssimcu_backend_state *state,
                              const struct ssimcu_loss_task *task)
{
    (void)state;
    return ssimcu_loss_bytes(task);
}

ssimcu_status ssimcu_cuda_loss(struct ssimcu_backend_state *state,
                               const struct ssimcu_loss_task *task, void *stream,
                               ssimcu_message *message)
{
    const struct ssimcu_cuda_current before = ssimcu_cuda_enter(state->device);
    const cudaError_t error = ssimcu_loss_cuda(task, stream);
    ssimcu_cuda_leave(before);
    TRY_CUDA(error, "loss");
    return SSIMCU_OK;
}

ssimcu_status ssimcu_cuda_loss_scale(struct ssimcu_backend_state *state,
                                     const struct ssimcu_loss_task *task, const void *factor,
                                     void *stream, ssimcu_message *message)
{
    const struct ssimcu_cuda_current before = ssimcu_cuda_enter(state->device);
    const cudaError_t error = ssimcu_loss_scale_cuda(task, 0, factor, stream);
    ssimcu_cuda_leave(before);
    TRY_CUDA(error, "loss");
    return SSIMCU_OK;
}
