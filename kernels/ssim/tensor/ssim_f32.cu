/* The path of planes of floats or whole numbers. tensor.cuh has the kernel, and loader_f32.cuh the
 * part for floats. */
#include "ssim/paths.cuh"
#include "ssim/tensor/loader_f32.cuh"
#include "ssim/tensor/sources.cuh"

using namespace ssimcu::tensor;

/* The planes of the planes stage, which are aligned, and those of whole numbers. */
using Planes = LoaderF32<true, true>;
using FixedPlanes = LoaderF32<true, true, true>;

size_t ssimcu::f32_partials(const ssimcu_ssim_task &task) { return partials<Planes>(task); }

size_t ssimcu::f32_cells(const ssimcu_ssim_task &task) { return cells<Planes>(task); }

cudaError_t ssimcu::f32_tiles(const ssimcu_ssim_task &task, const Reduction &reduction,
                              cudaStream_t stream)
{
    return task.samples == SSIMCU_SSIM_FIXED
               ? ssimcu::tensor::launch_tiles<FixedPlanes>(task, reduction, stream)
               : ssimcu::tensor::launch_tiles<Planes>(task, reduction, stream);
}

cudaError_t ssimcu::f32_launch(const ssimcu_ssim_task &task, cudaStream_t stream)
{
    if (task.samples == SSIMCU_SSIM_FIXED)
        return task.unbounded ? launch<LoaderF32<true, false, true>>(task, stream)
                              : launch<FixedPlanes>(task, stream);
    if (!is_aligned(task, sizeof(float4))) return launch<LoaderF32<false, false>>(task, stream);
    return task.unbounded ? launch<LoaderF32<true, false>>(task, stream)
                          : launch<Planes>(task, stream);
}
