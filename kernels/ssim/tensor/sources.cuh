/* Chooses the Source (pixels.cuh) for a task's samples, for all loaders. */
#pragma once

#include "ssim/tensor/pixels.cuh"
#include "ssim/tensor/tensor.cuh"

namespace ssimcu::tensor
{

inline bool has_pixels(const ssimcu_ssim_task &task)
{
    return task.interleaved && task.channels == 3;
}

inline bool is_aligned(const ssimcu_ssim_task &task, uint64_t to)
{
    const uint64_t all = (uint64_t)(uintptr_t)task.ref | (uint64_t)(uintptr_t)task.out |
                         (uint64_t)task.pitch_bytes | (uint64_t)task.frame_bytes |
                         (task.interleaved ? 0 : (uint64_t)task.plane_bytes);
    return all % to == 0;
}

/* Does the same for pairs. A frame may begin with either sample of a pair. Two frames may be the
 * two samples of the same pairs. */
inline bool has_aligned_pairs(const ssimcu_ssim_task &task, uint64_t to, int sample)
{
    const uint64_t starts = (uint64_t)(uintptr_t)task.ref | (uint64_t)(uintptr_t)task.out;
    const bool both = task.frames == 2 && task.frame_bytes == sample && starts % (2 * sample) == 0;
    const uint64_t strides = (uint64_t)task.pitch_bytes | (both ? 0 : (uint64_t)task.frame_bytes);
    return ((starts & ~(uint64_t)sample) | strides) % to == 0;
}

/* Partial sums depend only on whether samples are interleaved as pixels. */
template <template <class> class Loader, int SAMPLE>
size_t partials_of(const ssimcu_ssim_task &task)
{
    return has_pixels(task) ? partials<Loader<Pixels<SAMPLE, 3, true>>>(task)
                            : partials<Loader<Pixels<SAMPLE, 1, true>>>(task);
}

/* The same holds for the tiles' cells, and for their sums. */
template <template <class> class Loader, int SAMPLE>
size_t cells_of(const ssimcu_ssim_task &task)
{
    return has_pixels(task) ? cells<Loader<Pixels<SAMPLE, 3, true>>>(task)
                            : cells<Loader<Pixels<SAMPLE, 1, true>>>(task);
}

template <template <class> class Loader, int SAMPLE>
cudaError_t tiles_of(const ssimcu_ssim_task &task, const Reduction &reduction, cudaStream_t stream)
{
    return has_pixels(task)
               ? launch_tiles<Loader<Pixels<SAMPLE, 3, true>>>(task, reduction, stream)
               : launch_tiles<Loader<Pixels<SAMPLE, 1, true>>>(task, reduction, stream);
}

template <template <class> class Loader, int SAMPLE, int PLANES>
cudaError_t launch_pixels(const ssimcu_ssim_task &task, cudaStream_t stream)
{
    using Aligned = Pixels<SAMPLE, PLANES, true>;
    return is_aligned(task, Aligned::ALIGNMENT)
               ? launch<Loader<Aligned>>(task, stream)
               : launch<Loader<Pixels<SAMPLE, PLANES, false>>>(task, stream);
}

template <template <class> class Loader, int SAMPLE>
cudaError_t launch_pairs(const ssimcu_ssim_task &task, cudaStream_t stream)
{
    return has_aligned_pairs(task, Pairs<SAMPLE, true>::ALIGNMENT, SAMPLE)
               ? launch<Loader<Pairs<SAMPLE, true>>>(task, stream)
               : launch<Loader<Pairs<SAMPLE, false>>>(task, stream);
}

template <template <class> class Loader, int SAMPLE>
cudaError_t launch_from(const ssimcu_ssim_task &task, cudaStream_t stream)
{
    return has_pixels(task) ? launch_pixels<Loader, SAMPLE, 3>(task, stream)
                            : launch_pixels<Loader, SAMPLE, 1>(task, stream);
}

} // namespace ssimcu::tensor
