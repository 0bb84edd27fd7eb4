/* The path of float planes: tensor.cuh has the kernel, source_f32.cuh what is special to floats. */
#include "ssim/paths.cuh"
#include "ssim/source_f32.cuh"
#include "ssim/tensor.cuh"

size_t ssimcu::f32_partials(const ssimcu_ssim_task &task) { return partials<SourceF32>(task); }

cudaError_t ssimcu::f32_launch(const ssimcu_ssim_task &task, cudaStream_t stream)
{
    return launch<SourceF32>(task, stream);
}
