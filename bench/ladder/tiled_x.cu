/* Rung 3, tiled in x: both passes in one kernel. A block stages a row of 128 columns and their halo
 * in shared memory, and each thread takes the horizontal sums of its column. When the 18 rows under
 * a tile are done, the thread adds up eleven of them for each of its 8 windows. The horizontal sums
 * never leave the SM, and the neighbours in x come from shared memory.
 *
 * Removes: the trip of the five sums through global memory. Limited by: the halo in y. 18 rows are
 * blurred for 8 rows of windows, 2.25 times the work. Their sums fill the 48 KB of shared memory,
 * so that taller tiles, which would waste less, do not fit. */
#include "ladder.cuh"

namespace ladder
{
namespace
{

constexpr int ROWS = 8; /* rows of windows per block */
constexpr int TILE_ROWS = ROWS + TAPS - 1;

__global__ void __launch_bounds__(ROW_COLS) tiled_kernel(const Job job)
{
    __shared__ SharedRow row;
    __shared__ float sums[TILE_ROWS][MOMENTS][ROW_COLS];
    const int x0 = blockIdx.x * ROW_COLS, y0 = blockIdx.y * ROWS, plane = blockIdx.z;
#pragma unroll 1
    for (int r = 0; r < TILE_ROWS; r++) {
        put_share(fetch_share(job, plane, y0 + r - RADIUS, x0 - RADIUS), row);
        __syncthreads();
        float h[MOMENTS];
        blur_row(row, h);
#pragma unroll
        for (int m = 0; m < MOMENTS; m++) sums[r][m][threadIdx.x] = h[m];
        __syncthreads(); /* the next row may now replace this one */
    }
#pragma unroll 1
    for (int r = 0; r < ROWS; r++) {
        float moment[MOMENTS] = {};
#pragma unroll
        for (int k = 0; k < TAPS; k++)
#pragma unroll
            for (int m = 0; m < MOMENTS; m++)
                moment[m] = fmaf(G[k], sums[r + k][m][threadIdx.x], moment[m]);
        store(job, plane, y0 + r, x0 + threadIdx.x, ssim_of(moment));
    }
}

cudaError_t launch(const Job &job, void *, cudaStream_t stream)
{
    const dim3 grid(divide_up(job.width, ROW_COLS), divide_up(job.height, ROWS), plane_count(job));
    tiled_kernel<<<grid, ROW_COLS, 0, stream>>>(job);
    return cudaGetLastError();
}

} // namespace

const Method tiled_x = {
    "tiled in x", "f32 planes", sizeof(float), false, refuses_all_but_zero_pad_map,
    nullptr,      nullptr,      launch};

} // namespace ladder
