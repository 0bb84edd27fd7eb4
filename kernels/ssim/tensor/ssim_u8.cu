/* The path of 8-bit samples. tensor.cuh has the kernel, and loader_u8.cuh the part for bytes. */
#include "ssim/paths.cuh"
#include "ssim/tensor/loader_u8.cuh"
#include "ssim/tensor/sources.cuh"

using namespace ssimcu::tensor;

size_t ssimcu::u8_partials(const ssimcu_ssim_task &task) { return partials_of<LoaderU8, 1>(task); }

size_t ssimcu::u8_cells(const ssimcu_ssim_task &task) { return cells_of<LoaderU8, 1>(task); }

cudaError_t ssimcu::u8_tiles(const ssimcu_ssim_task &task, const Reduction &reduction,
                             cudaStream_t stream)
{
    return tiles_of<LoaderU8, 1>(task, reduction, stream);
}

cudaError_t ssimcu::u8_launch(const ssimcu_ssim_task &task, cudaStream_t stream)
{
    return task.pairs ? launch_pairs<LoaderU8, 1>(task, stream)
                      : launch_from<LoaderU8, 1>(task, stream);
}
