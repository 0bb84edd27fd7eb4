/* Rung 1, naive: one thread per window, which reads its 121 pairs of samples from global memory and
 * adds up the five moments.
 *
 * Removes: nothing, this is the definition. Limited by: arithmetic that is done again and again. A
 * window takes 121 x 8 instructions and as many loads; a separable sum needs 22 x 8. */
#include "ladder.cuh"

namespace ladder
{
namespace
{

constexpr int COLS = 32, ROWS = 8;

__global__ void __launch_bounds__(COLS *ROWS) naive_kernel(const Job job)
{
    const int x = blockIdx.x * COLS + threadIdx.x, y = blockIdx.y * ROWS + threadIdx.y;
    const float *ref = job.planes[REF] + blockIdx.z * job.plane;
    const float *out = job.planes[OUT] + blockIdx.z * job.plane;
    if (!inside(job, y, x)) return;
    float moment[MOMENTS] = {};
#pragma unroll
    for (int i = 0; i < TAPS; i++)
#pragma unroll
        for (int j = 0; j < TAPS; j++) {
            if (!inside(job, y + i - RADIUS, x + j - RADIUS)) continue;
            const int64_t at = (y + i - RADIUS) * job.pitch + x + j - RADIUS;
            add_sample(moment, G[i] * G[j], ref[at], out[at]);
        }
    store(job, blockIdx.z, y, x, ssim_of(moment));
}

cudaError_t launch(const Job &job, void *, cudaStream_t stream)
{
    const dim3 grid(divide_up(job.width, COLS), divide_up(job.height, ROWS), plane_count(job));
    naive_kernel<<<grid, dim3(COLS, ROWS), 0, stream>>>(job);
    return cudaGetLastError();
}

} // namespace

const Method naive = {"naive", "f32 planes", sizeof(float), false, refuses_all_but_zero_pad_map,
                      nullptr, nullptr,      launch};

} // namespace ladder
