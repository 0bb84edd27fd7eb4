/* Rung 2, redundancy removed: the Gaussian is separable. So a row pass writes the horizontal sums
 * of the five moments to global memory, and a column pass reads eleven of them per window.
 *
 * Removes: 99 of 121 taps. Limited by: memory. Five floats per sample are written and read back,
 * five times the size of one image each way. A 4K frame's sums do not fit into any cache. */
#include "ladder.cuh"

namespace ladder
{
namespace
{

constexpr int COLS = 32, ROWS = 8;

/* Returns the index at which moment m of a row of horizontal sums starts. */
__device__ __forceinline__ int64_t row_of(const Job &job, int m, int y)
{
    return (((int64_t)blockIdx.z * MOMENTS + m) * job.height + y) * job.width;
}

__global__ void __launch_bounds__(COLS *ROWS) row_kernel(const Job job, float *sums)
{
    const int x = blockIdx.x * COLS + threadIdx.x, y = blockIdx.y * ROWS + threadIdx.y;
    if (!inside(job, y, x)) return;
    const int64_t row = blockIdx.z * job.plane + y * job.pitch;
    float h[MOMENTS] = {};
#pragma unroll
    for (int k = 0; k < TAPS; k++) {
        const int at = x + k - RADIUS;
        if (inside(job, y, at))
            add_sample(h, G[k], job.planes[REF][row + at], job.planes[OUT][row + at]);
    }
#pragma unroll
    for (int m = 0; m < MOMENTS; m++) sums[row_of(job, m, y) + x] = h[m];
}

__global__ void __launch_bounds__(COLS *ROWS) column_kernel(const Job job, const float *sums)
{
    const int x = blockIdx.x * COLS + threadIdx.x, y = blockIdx.y * ROWS + threadIdx.y;
    if (!inside(job, y, x)) return;
    float moment[MOMENTS] = {};
#pragma unroll
    for (int k = 0; k < TAPS; k++) {
        const int at = y + k - RADIUS;
        if (!inside(job, at, x)) continue;
#pragma unroll
        for (int m = 0; m < MOMENTS; m++)
            moment[m] = fmaf(G[k], sums[row_of(job, m, at) + x], moment[m]);
    }
    store(job, blockIdx.z, y, x, ssim_of(moment));
}

size_t scratch_bytes(const Job &job)
{
    return sizeof(float) * MOMENTS * plane_count(job) * job.height * (size_t)job.width;
}

cudaError_t launch(const Job &job, void *scratch, cudaStream_t stream)
{
    const dim3 grid(divide_up(job.width, COLS), divide_up(job.height, ROWS), plane_count(job));
    float *sums = static_cast<float *>(scratch);
    row_kernel<<<grid, dim3(COLS, ROWS), 0, stream>>>(job, sums);
    column_kernel<<<grid, dim3(COLS, ROWS), 0, stream>>>(job, sums);
    return cudaGetLastError();
}

} // namespace

const Method two_passes = {"redundancy removed",         "f32 planes",  sizeof(float), false,
                           refuses_all_but_zero_pad_map, scratch_bytes, nullptr,       launch};

} // namespace ladder
