/* Counts the float samples of a frame that a curve cannot show, in place.
 *
 * DATA FLOW. A thread takes every n-th pixel, so that a warp reads along a row. Counts stay in
 * registers and are added up within each warp. They reach memory by one atomic operation per warp,
 * if there is anything to count. The arithmetic is in integers, so the counts equal the CPU's.
 */
#include "kernels.h"

#include "core/light.h"

namespace
{

constexpr int THREADS = 256, BLOCKS = 2048, WARP = 32;

struct Scan {
    ssimcu_samples samples;
    ssimcu_light_bounds bounds;
    uint32_t channels, colors; /* channels to look at; those that can be clamped */
    int64_t width, pixels;
};

__device__ __forceinline__ uint32_t judge(const Scan &scan, uint32_t channel, int64_t x, int64_t y)
{
    const char *row =
        static_cast<const char *>(scan.samples.channel[channel]) + y * scan.samples.pitch_bytes;
    const int64_t at = x * scan.samples.step;
    if (scan.samples.type != SSIMCU_SAMPLE_F32) {
        const uint32_t half = reinterpret_cast<const uint16_t *>(row)[at];
        return ssimcu_light_judge(&scan.bounds, half & 0x7fff, half >> 15);
    }
    const uint32_t word = reinterpret_cast<const uint32_t *>(row)[at];
    return ssimcu_light_judge(&scan.bounds, word & 0x7fffffff, word >> 31);
}

__device__ __forceinline__ unsigned add_up(unsigned value)
{
    for (int apart = WARP / 2; apart > 0; apart /= 2)
        value += __shfl_down_sync(0xffffffff, value, apart);
    return value;
}

__global__ void __launch_bounds__(THREADS)
    scan_kernel(const __grid_constant__ Scan scan, ssimcu_light_counts *counts)
{
    unsigned clamped = 0, bad = 0;
    unsigned long long first = 0; /* index of the first bad pixel, inverted */
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < scan.pixels;
         i += (int64_t)gridDim.x * THREADS) {
        const int64_t y = i / scan.width, x = i - y * scan.width;
        uint32_t all = 0;
        unsigned own = 0;
        for (uint32_t c = 0; c < scan.channels; c++) {
            const uint32_t found = judge(scan, c, x, y);
            if (c < scan.colors) all |= found;
            own += found == SSIMCU_LIGHT_NOT_FINITE;
        }
        clamped += all & SSIMCU_LIGHT_CLAMPED;
        if (own > 0 && first == 0) first = ~(unsigned long long)i;
        bad += own;
    }
    if (first != 0) atomicMax(reinterpret_cast<unsigned long long *>(&counts->first), first);
    clamped = add_up(clamped);
    bad = add_up(bad);
    if (threadIdx.x % WARP != 0) return;
    if (clamped > 0) atomicAdd(reinterpret_cast<unsigned long long *>(&counts->clamped), clamped);
    if (bad > 0) atomicAdd(reinterpret_cast<unsigned long long *>(&counts->not_finite), bad);
}

} // namespace

cudaError_t ssimcu_light_scan_cuda(const ssimcu_light_scan_task *task, cudaStream_t stream)
{
    const ssimcu_pixel_rule &rule = task->rule;
    const uint32_t colors = rule.channels >= 3 ? 3 : 1;
    const Scan scan = {task->samples, task->bounds, rule.alpha ? rule.channels : colors,
                       colors,        task->width,  task->width * task->height};
    const int64_t blocks = (scan.pixels + THREADS - 1) / THREADS;
    scan_kernel<<<(unsigned)(blocks < BLOCKS ? blocks : BLOCKS), THREADS, 0, stream>>>(
        scan, task->counts);
    return cudaGetLastError();
}
