/* A map -> the mean of each tile of a grid, over the tile's windows and the planes, in double and
 * in a fixed order. One block per tile: 32 x 8 threads walk the tile's part of each plane, lanes
 * side by side along a row, then a tree. core/tile_means.h says which windows belong to a tile.
 */
#include "kernels.h"

namespace
{

constexpr int COLUMNS = 32, ROWS = 8, THREADS = COLUMNS * ROWS;

__global__ void __launch_bounds__(THREADS)
    tile_means_kernel(const __grid_constant__ ssimcu_tile_means_task task)
{
    __shared__ double sum[THREADS];
    uint32_t x0, x1, y0, y1;
    const ssimcu_tile_grid &grid = task.grid;
    ssimcu_tile_span(blockIdx.x % grid.columns, grid.width, grid.border, task.width, &x0, &x1);
    ssimcu_tile_span(blockIdx.x / grid.columns, grid.height, grid.border, task.height, &y0, &y1);
    double own = 0;
    for (int c = 0; c < task.planes; c++)
        for (uint32_t y = y0 + threadIdx.y; y < y1; y += ROWS) {
            const float *row = task.map + c * task.plane_floats + y * task.pitch_floats;
            for (uint32_t x = x0 + threadIdx.x; x < x1; x += COLUMNS) own += row[x];
        }
    const int thread = threadIdx.y * COLUMNS + threadIdx.x;
    sum[thread] = own;
    for (int half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (thread < half) sum[thread] += sum[thread + half];
    }
    const double count = (double)(x1 - x0) * (y1 - y0) * task.planes;
    if (thread == 0) task.means[blockIdx.x] = sum[0] / count;
}

} // namespace

cudaError_t ssimcu_tile_means_cuda(const ssimcu_tile_means_task *task, cudaStream_t stream)
{
    tile_means_kernel<<<task->grid.columns * task->grid.rows, dim3(COLUMNS, ROWS), 0, stream>>>(
        *task);
    return cudaGetLastError();
}
