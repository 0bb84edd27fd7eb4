/* The path of 8-bit samples: tensor.cuh has the kernel, loader_u8.cuh what is special to bytes. */
#include "ssim/loader_u8.cuh"
#include "ssim/paths.cuh"
#include "ssim/tensor.cuh"

static bool is_pixels(const ssimcu_ssim_task &task)
{
    return task.interleaved && task.channels == 3;
}

static bool is_aligned(const ssimcu_ssim_task &task)
{
    const uint64_t all = (uint64_t)(uintptr_t)task.ref | (uint64_t)(uintptr_t)task.out |
                         (uint64_t)task.pitch_bytes | (uint64_t)task.frame_bytes |
                         (task.interleaved ? 0 : (uint64_t)task.plane_bytes);
    return all % 8 == 0;
}

size_t ssimcu::u8_partials(const ssimcu_ssim_task &task)
{
    return is_pixels(task) ? tensor::partials<tensor::LoaderU8<3, true>>(task)
                           : tensor::partials<tensor::LoaderU8<1, true>>(task);
}

size_t ssimcu::u8_cells(const ssimcu_ssim_task &task)
{
    return is_pixels(task) ? tensor::cells<tensor::LoaderU8<3, true>>(task)
                           : tensor::cells<tensor::LoaderU8<1, true>>(task);
}

cudaError_t ssimcu::u8_tiles(const ssimcu_ssim_task &task, int planes, double *means,
                             cudaStream_t stream)
{
    auto *launch = is_pixels(task) ? tensor::launch_tiles<tensor::LoaderU8<3, true>>
                                   : tensor::launch_tiles<tensor::LoaderU8<1, true>>;
    return launch(task, planes, means, stream);
}

cudaError_t ssimcu::u8_launch(const ssimcu_ssim_task &task, cudaStream_t stream)
{
    if (is_pixels(task))
        return is_aligned(task) ? tensor::launch<tensor::LoaderU8<3, true>>(task, stream)
                                : tensor::launch<tensor::LoaderU8<3, false>>(task, stream);
    return is_aligned(task) ? tensor::launch<tensor::LoaderU8<1, true>>(task, stream)
                            : tensor::launch<tensor::LoaderU8<1, false>>(task, stream);
}
