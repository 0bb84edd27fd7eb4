/* Cells -> the mean SSIM of each tile of the score's grid, over the tile's windows and planes, and
 * the shift of each plane there, in double and in a fixed order. The first blocks also turn partial
 * sums into sums (reduce.cuh). Each tile has one warp: its lanes take the tile's pieces in turn,
 * then a tree adds theirs up. Each path says what a piece is and where it lies, by a class with
 *
 *     int count(task, tile)                  pieces of the tile on a plane
 *     TileSums get(task, plane, piece, tile) its sums
 *     HAS_FEATURES, double levels()          whether they may have features; their units in levels
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

/* Sums over a piece of a tile in one plane: of 1 - SSIM, and of the differences of the windows'
 * means, OUT minus REF, in 255ths of white. */
struct TileSums {
    double of[SSIMCU_TILE_ALL_NUMBERS];
};

constexpr int TILE_WARPS = REDUCE_THREADS / LANES; /* warps of a block */

/* Writes a tile's features of one plane, `step` apart. They cost another look at its pieces, so
 * that the score's sums stay as they are. */
template <class Pieces>
__device__ void write_features(const ssimcu_ssim_task &task, const Pieces &pieces, int plane,
                               const Tile &tile, int count, double windows, double *to,
                               int64_t step)
{
    const int lane = threadIdx.x % LANES;
    const double levels = pieces.levels();
    double difference = 0, texture = 0, bright = 0, dark = 0;
    for (int i = lane; i < count; i += LANES) {
        const TileSums own = pieces.get(task, plane, i, tile);
        difference += own.of[SSIMCU_TILE_DIFFERENCE];
        texture += own.of[SSIMCU_TILE_TEXTURE];
        bright = fmax(bright, own.of[SSIMCU_TILE_BRIGHT]);
        dark = fmax(dark, own.of[SSIMCU_TILE_DARK]);
    }
    difference = sum_lanes(difference), texture = sum_lanes(texture);
    bright = most_of_lanes(bright), dark = most_of_lanes(dark);
    if (lane > 0) return;
    to[0] = levels * difference / windows;
    to[step] = levels * sqrt(fmax(texture, 0.0) / (2 * windows));
    to[2 * step] = levels * sqrt(bright);
    to[3 * step] = levels * sqrt(dark);
}

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
    const double windows = (double)(tile.x1 - tile.x0) * (tile.y1 - tile.y0);
    const int numbers = ssimcu_tile_numbers_of(&grid, planes);
    double *const means = reduction.means + (int64_t)group * tiles * numbers + index % tiles;
    double sum = 0, shift[SSIMCU_MAX_CHANNELS] = {};
    for (int i = lane; i < count * planes; i += LANES) {
        const int plane = i / count;
        const TileSums own = pieces.get(task, group * planes + plane, i % count, tile);
        sum += own.of[SSIMCU_TILE_SSIM];
#pragma unroll
        for (int p = 0; p < SSIMCU_MAX_CHANNELS; p++)
            shift[p] += p == plane ? own.of[SSIMCU_TILE_SHIFT] : 0;
    }
    sum = sum_lanes(sum);
    if (lane == 0) *means = 1 - sum / (windows * planes);
    for (int p = 0; p < planes; p++) {
        const double moved = sum_lanes(p == 0 ? shift[0] : p == 1 ? shift[1] : shift[2]);
        if (lane == 0) means[(1 + p) * tiles] = moved / windows;
        if constexpr (Pieces::HAS_FEATURES)
            if (grid.features)
                write_features(task, pieces, group * planes + p, tile, count, windows,
                               means + (1 + planes + p) * tiles, (int64_t)planes * tiles);
    }
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
