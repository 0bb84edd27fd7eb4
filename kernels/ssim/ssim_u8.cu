/* The path of 8-bit samples: tensor.cuh has the kernel, source_u8.cuh what is special to bytes.
 *
 * WHY THESE SIZES. Times are of one 4K RGB frame on an H200, planar / interleaved, random pixels
 * against the same within 9 levels: 91 / 100 us, per frame in a batch of 8 81 / 87; 97 / 105 and 85
 * / 88 in strips instead of runs (run.h). Three warps in
 * a block where pixels are interleaved, one per channel: five blocks of them are a warp per SM less
 * than four of four, but nothing spills: 104 -> 107, 91 -> 89. Edge lanes that no window needs read
 * their neighbour's pixels: 129 -> 96 us for one interleaved frame, whose last strip was late.
 * Edges read like the rest and masked at their use: 122 -> 109 for 4K with zero padding, 142 -> 131
 * with a map; apart from the others, in a function: the loop over a run's strips then keeps its
 * counters in ordinary registers, 708 -> 775 instructions for three interleaved tiles. Bytes that
 * are not aligned shifted at their use, not after the loads: 135 -> 120 interleaved and 116 -> 101
 * planar for 3841 x 2161; in words of 8 bytes: no gain.
 */
#include "ssim/paths.cuh"
#include "ssim/source_u8.cuh"
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
    return is_pixels(task) ? partials<SourceU8<3, true>>(task) : partials<SourceU8<1, true>>(task);
}

cudaError_t ssimcu::u8_launch(const ssimcu_ssim_task &task, cudaStream_t stream)
{
    if (is_pixels(task))
        return is_aligned(task) ? launch<SourceU8<3, true>>(task, stream)
                                : launch<SourceU8<3, false>>(task, stream);
    return is_aligned(task) ? launch<SourceU8<1, true>>(task, stream)
                            : launch<SourceU8<1, false>>(task, stream);
}
