/* The path of float planes: tensor.cuh has the kernel, loader_f32.cuh what is special to floats. */
#include "ssim/loader_f32.cuh"
#include "ssim/paths.cuh"
#include "ssim/tensor.cuh"

size_t ssimcu::f32_partials(const ssimcu_ssim_task &task)
{
    return tensor::partials<tensor::LoaderF32>(task);
}

cudaError_t ssimcu::f32_launch(const ssimcu_ssim_task &task, cudaStream_t stream)
{
    return tensor::launch<tensor::LoaderF32>(task, stream);
}
