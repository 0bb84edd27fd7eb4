/* Rung 5, the manual register pipeline: the ring of eleven rows of sums moves from shared memory
 * into registers. Registers cannot be indexed by a variable. So the loop is unrolled eleven times,
 * and in copy i the newest row is register set i.
 *
 * Removes: 60 of 82 shared accesses per window. Limited by: size. Eleven copies of the loop's body
 * are more instructions than the instruction cache nearest to the scheduler holds. 55 registers
 * that only wait leave no room for a second column per thread, which would share its samples. */
#include "ladder.cuh"

namespace ladder
{
namespace
{

constexpr int ROWS = 72; /* rows of windows in a strip */

__global__ void __launch_bounds__(ROW_COLS) register_kernel(const Job job)
{
    __shared__ SharedRow row[2];
    const int x0 = blockIdx.x * ROW_COLS, y0 = blockIdx.y * ROWS, plane = blockIdx.z;
    const int rows = min(ROWS, job.height - y0) + OPEN, top = y0 - RADIUS;
    RowShare next = fetch_share(job, plane, top, x0 - RADIUS);
    float ring[TAPS][MOMENTS] = {};
#pragma unroll 1
    for (int first = 0; first < rows; first += TAPS)
#pragma unroll
        for (int i = 0; i < TAPS; i++) {
            const int r = first + i;
            if (r >= rows) return;
            put_share(next, row[r % 2]); /* two rows take turns, as one rung earlier */
            __syncthreads();
            next = fetch_share(job, plane, top + r + 1, x0 - RADIUS);
            blur_row(row[r % 2], ring[i]);
            if (r < OPEN) continue;
            float moment[MOMENTS] = {};
#pragma unroll
            for (int k = 0; k < TAPS; k++)
#pragma unroll
                for (int m = 0; m < MOMENTS; m++)
                    moment[m] = fmaf(G[k], ring[(i + 1 + k) % TAPS][m], moment[m]);
            store(job, plane, y0 + r - OPEN, x0 + threadIdx.x, ssim_of(moment));
        }
}

cudaError_t launch(const Job &job, void *, cudaStream_t stream)
{
    const dim3 grid(divide_up(job.width, ROW_COLS), divide_up(job.height, ROWS), plane_count(job));
    register_kernel<<<grid, ROW_COLS, 0, stream>>>(job);
    return cudaGetLastError();
}

} // namespace

const Method register_pipeline = {
    "register pipeline",          "f32 planes", sizeof(float), false,
    refuses_all_but_zero_pad_map, nullptr,      nullptr,       launch};

} // namespace ladder
