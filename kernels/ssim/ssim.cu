/* The SSIM stage: which path a task takes. */
#include "core/contract.h"
#include "kernels.h"
#include "ssim/paths.cuh"

int ssimcu_ssim_positions(int side, int zero_pad)
{
    return zero_pad ? side : side - 2 * SSIMCU_RADIUS;
}

size_t ssimcu_ssim_partials(const ssimcu_ssim_task *task)
{
    if (task->samples == SSIMCU_SSIM_U8) return ssimcu::u8_partials(*task);
    if (task->tensor_cores) return ssimcu::f32_partials(*task);
    return ssimcu::double_serves(*task) ? ssimcu::double_partials(*task)
                                        : ssimcu::fma_partials(*task);
}

cudaError_t ssimcu_ssim_cuda(const ssimcu_ssim_task *task, cudaStream_t stream)
{
    if (task->samples == SSIMCU_SSIM_U8)
        return task->tensor_cores ? ssimcu::u8_launch(*task, stream) : cudaErrorInvalidValue;
    if (task->interleaved) return cudaErrorInvalidValue;
    if (task->tensor_cores) return ssimcu::f32_launch(*task, stream);
    return ssimcu::double_serves(*task) ? ssimcu::double_launch(*task, stream)
                                        : ssimcu::fma_launch(*task, stream);
}
