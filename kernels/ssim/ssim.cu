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
    switch (task->samples) {
    case SSIMCU_SSIM_U8: return ssimcu::u8_partials(*task);
    case SSIMCU_SSIM_U16: return ssimcu::u16_partials(*task);
    case SSIMCU_SSIM_F16:
    case SSIMCU_SSIM_BF16: return ssimcu::f16_partials(*task);
    default: break;
    }
    if (task->tensor_cores) return ssimcu::f32_partials(*task);
    return ssimcu::double_serves(*task) ? ssimcu::double_partials(*task)
                                        : ssimcu::fma_partials(*task);
}

cudaError_t ssimcu_ssim_cuda(const ssimcu_ssim_task *task, cudaStream_t stream)
{
    if (task->samples == SSIMCU_SSIM_F32 && task->interleaved) return cudaErrorInvalidValue;
    if (task->samples != SSIMCU_SSIM_F32 && !task->tensor_cores) return cudaErrorInvalidValue;
    switch (task->samples) {
    case SSIMCU_SSIM_U8: return ssimcu::u8_launch(*task, stream);
    case SSIMCU_SSIM_U16: return ssimcu::u16_launch(*task, stream);
    case SSIMCU_SSIM_F16:
    case SSIMCU_SSIM_BF16: return ssimcu::f16_launch(*task, stream);
    default: break;
    }
    if (task->tensor_cores) return ssimcu::f32_launch(*task, stream);
    return ssimcu::double_serves(*task) ? ssimcu::double_launch(*task, stream)
                                        : ssimcu::fma_launch(*task, stream);
}
