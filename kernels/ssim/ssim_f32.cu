/* The path of float planes: tensor.cuh has the kernel, loader_f32.cuh what is special to floats. */
#include "ssim/loader_f32.cuh"
#include "ssim/paths.cuh"
#include "ssim/tensor.cuh"

size_t ssimcu::f32_partials(const ssimcu_ssim_task &task)
{
    return tensor::partials<tensor::LoaderF32>(task);
}

size_t ssimcu::f32_cells(const ssimcu_ssim_task &task)
{
    return tensor::cells<tensor::LoaderF32>(task);
}

cudaError_t ssimcu::f32_tiles(const ssimcu_ssim_task &task, int planes, double *means,
                              cudaStream_t stream)
{
    return tensor::launch_tiles<tensor::LoaderF32>(task, planes, means, stream);
}

cudaError_t ssimcu::f32_launch(const ssimcu_ssim_task &task, cudaStream_t stream)
{
    return tensor::launch<tensor::LoaderF32>(task, stream);
}
