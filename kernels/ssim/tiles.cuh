/* Cells -> the mean SSIM of each tile of the score's grid, over the tile's windows and planes, in
 * double and in a fixed order. The first blocks also turn partial sums into sums (reduce.cuh). Each
 * tile has one warp: its lanes take the tile's pieces in turn, then a tree adds theirs up. Each
 * path says what a piece is and where it lies, by a class with
 *
 *     int count(task, tile)                  pieces of the tile on a plane
 *     double get(task, plane, piece, tile)   sum of 1 - SSIM over the piece
 *
 * core/tile_grid.h says which windows belong to a tile.
 */
#ifndef SSIMCU_TILES_CUH
#define SSIMCU_TILES_CUH

#include "kernels.h"
#include "ssim/reduce.cuh"

namespace ssimcu
{

/* A tile of the grid and its window positions. */
struct Tile {
    uint32_t column, row, x0, x1, y0, y1;
};

constexpr int TILE_WARPS = REDUCE_THREADS / LANES; /* warps of a block */

template <class Pieces>
__global__ void __launch_bounds__(REDUCE_THREADS)
    tiles_kernel(const __grid_constant__ ssimcu_ssim_task task,
                 const __grid_constant__ Pieces pieces, const __grid_constant__ Reduction reduction)
{
    wait_for_kernel_before();
    if (blockIdx.x < reduction.planes) return reduce_plane(reduction, blockIdx.x);
    const ssimcu_tile_grid &grid = task.grid;
    const int lane = threadIdx.x % LANES, tiles = grid.columns * grid.rows;
    const int block = blockIdx.x - reduction.planes, planes = reduction.group;
    const int index = block * TILE_WARPS + threadIdx.x / LANES, group = index / tiles;
    if (group * planes >= reduction.planes) return;
    const int shrink = task.zero_pad ? 0 : OPEN;
    Tile tile;
    tile.column = index % tiles % grid.columns;
    tile.row = index % tiles / grid.columns;
    ssimcu_tile_span(tile.column, grid.width, grid.border, task.width - shrink, &tile.x0, &tile.x1);
    ssimcu_tile_span(tile.row, grid.height, grid.border, task.height - shrink, &tile.y0, &tile.y1);
    const int count = pieces.count(task, tile);
    double sum = 0;
    for (int i = lane; i < count * planes; i += LANES)
        sum += pieces.get(task, group * planes + i / count, i % count, tile);
    sum = sum_lanes(sum);
    const double windows = (double)(tile.x1 - tile.x0) * (tile.y1 - tile.y0) * planes;
    if (lane == 0) reduction.means[index] = 1 - sum / windows;
}

template <class Pieces>
cudaError_t launch_tiles(const ssimcu_ssim_task &task, const Pieces &pieces,
                         const Reduction &reduction, cudaStream_t stream)
{
    const int64_t tiles =
        (int64_t)task.grid.columns * task.grid.rows * (reduction.planes / reduction.group);
    const int64_t blocks = reduction.planes + ssimcu_divide_up(tiles, TILE_WARPS);
    return launch_behind(tiles_kernel<Pieces>, (unsigned)blocks, stream, task, pieces, reduction);
}

} // namespace ssimcu

#endif
