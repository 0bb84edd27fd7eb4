/* Rung 4, pipelined in y: a block walks down a strip of 72 rows. It keeps the horizontal sums of
 * the last eleven rows in a ring in shared memory. Each row is blurred once per strip. The next row
 * travels from global memory while the block works on this one.
 *
 * Removes: most of the halo in y (82 rows blurred for 72, not 18 for 8). Limited by: shared memory.
 * A window reads 22 samples and 55 sums and writes 5. An SM serves one such access of a warp per
 * clock, against four multiply-adds. */
#include "ladder.cuh"

namespace ladder
{
namespace
{

constexpr int ROWS = 72; /* rows of windows in a strip */

__global__ void __launch_bounds__(ROW_COLS) pipelined_kernel(const Job job)
{
    __shared__ SharedRow row[2];
    __shared__ float ring[TAPS][MOMENTS][ROW_COLS];
    const int x0 = blockIdx.x * ROW_COLS, y0 = blockIdx.y * ROWS, plane = blockIdx.z;
    const int rows = min(ROWS, job.height - y0) + OPEN, top = y0 - RADIUS;
    RowShare next = fetch_share(job, plane, top, x0 - RADIUS);
    int newest = TAPS - 1; /* slot of the ring */
#pragma unroll 1
    for (int r = 0; r < rows; r++) {
        /* Two rows of shared memory take turns. A thread that puts this row has passed a barrier
         * after which no thread reads the row before last. */
        put_share(next, row[r % 2]);
        __syncthreads();
        next = fetch_share(job, plane, top + r + 1, x0 - RADIUS);
        newest = newest + 1 == TAPS ? 0 : newest + 1;
        float h[MOMENTS];
        blur_row(row[r % 2], h);
#pragma unroll
        for (int m = 0; m < MOMENTS; m++) ring[newest][m][threadIdx.x] = h[m];
        if (r < OPEN) continue;
        float moment[MOMENTS] = {};
#pragma unroll
        for (int k = 0; k < TAPS; k++) {
            const int slot = newest + 1 + k < TAPS ? newest + 1 + k : newest + 1 + k - TAPS;
#pragma unroll
            for (int m = 0; m < MOMENTS; m++)
                moment[m] = fmaf(G[k], ring[slot][m][threadIdx.x], moment[m]);
        }
        store(job, plane, y0 + r - OPEN, x0 + threadIdx.x, ssim_of(moment));
    }
}

cudaError_t launch(const Job &job, void *, cudaStream_t stream)
{
    const dim3 grid(divide_up(job.width, ROW_COLS), divide_up(job.height, ROWS), plane_count(job));
    pipelined_kernel<<<grid, ROW_COLS, 0, stream>>>(job);
    return cudaGetLastError();
}

} // namespace

const Method pipelined_y = {
    "pipelined in y", "f32 planes", sizeof(float), false, refuses_all_but_zero_pad_map,
    nullptr,          nullptr,      launch};

} // namespace ladder
