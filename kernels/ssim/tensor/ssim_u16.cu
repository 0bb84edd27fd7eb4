/* The path of 16-bit samples. tensor.cuh has the kernel, and loader_u16.cuh the part for words. */
#include "ssim/paths.cuh"
#include "ssim/tensor/loader_u16.cuh"
#include "ssim/tensor/sources.cuh"

using namespace ssimcu::tensor;

/* Returns whether these are planes of 10 bits. Interleaved pixels of 10 bits are rare. */
static bool has_ten_bits(const ssimcu_ssim_task &task)
{
    return task.peak >= 512 && task.peak <= 1023 && !task.pairs && !has_pixels(task);
}

size_t ssimcu::u16_partials(const ssimcu_ssim_task &task)
{
    return partials_of<LoaderU16, 2>(task);
}

size_t ssimcu::u16_cells(const ssimcu_ssim_task &task) { return cells_of<LoaderU16, 2>(task); }

cudaError_t ssimcu::u16_tiles(const ssimcu_ssim_task &task, const Reduction &reduction,
                              cudaStream_t stream)
{
    return tiles_of<LoaderU16, 2>(task, reduction, stream);
}

cudaError_t ssimcu::u16_launch(const ssimcu_ssim_task &task, cudaStream_t stream)
{
    if (has_ten_bits(task)) return launch_pixels<LoaderU10, 2, 1>(task, stream);
    return task.pairs ? launch_pairs<LoaderU16, 2>(task, stream)
                      : launch_from<LoaderU16, 2>(task, stream);
}
