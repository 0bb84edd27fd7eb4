/* Cells -> the mean SSIM of each tile of the score's grid, over the tile's windows and planes, in
 * double and in a fixed order. One warp per tile: its lanes take the tile's pieces in turn, then a
 * tree. What a piece is, and where it lies, each path says: a class with
 *
 *     int count(task, tile)                  pieces of the tile on a plane
 *     double get(task, plane, piece, tile)   sum of 1 - SSIM over the piece
 *
 * core/tile_grid.h says which windows belong to a tile. */
#ifndef SSIMCU_TILES_CUH
#define SSIMCU_TILES_CUH

#include "kernels.h"
#include "ssim/ssim.cuh"

namespace ssimcu
{

/* A tile of the grid and its window positions. */
struct Tile {
    uint32_t column, row, x0, x1, y0, y1;
};

constexpr int TILE_WARPS = 4; /* of a block */

/* `means` has the tiles of one group of `planes` planes after those of the other. */
template <class Pieces>
__global__ void __launch_bounds__(LANES *TILE_WARPS)
    tiles_kernel(const __grid_constant__ ssimcu_ssim_task task,
                 const __grid_constant__ Pieces pieces, int planes, double *means)
{
    const ssimcu_tile_grid &grid = task.grid;
    const int lane = threadIdx.x % LANES, tiles = grid.columns * grid.rows;
    const int index = blockIdx.x * TILE_WARPS + threadIdx.x / LANES, group = index / tiles;
    if (group * planes >= task.channels * task.frames) return;
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
    if (lane == 0) means[index] = 1 - sum / windows;
}

template <class Pieces>
cudaError_t launch_tiles(const ssimcu_ssim_task &task, const Pieces &pieces, int planes,
                         double *means, cudaStream_t stream)
{
    const int64_t tiles =
        (int64_t)task.grid.columns * task.grid.rows * task.channels * task.frames / planes;
    tiles_kernel<<<(unsigned)ssimcu_divide_up(tiles, TILE_WARPS), LANES * TILE_WARPS, 0, stream>>>(
        task, pieces, planes, means);
    return cudaGetLastError();
}

} // namespace ssimcu

#endif
