/* Cells -> the mean SSIM of each tile of the score's grid, over the tile's windows and planes, and
 * the level shift of each plane there. Features are made in the same way. Sums are in double and in
 * a fixed order. The first blocks also add up partial sums (reduce.cuh). Each tile has one warp,
 * and one more in another block for features. Its lanes take the tile's pieces in turn, then a tree
 * adds up their sums. Each path defines its pieces by a class with
 *
 *     int count(task, tile)                  pieces of the tile on a plane
 *     TileSums get(task, plane, piece, tile) its sums
 *     int feature_count(task, tile)          likewise for features,
 *     void add_features(task, plane, planes, piece, tile, features)
 *     double levels()                        which are to be multiplied by this
 *
 * core/tile_grid.h says which windows belong to a tile.
 */
#pragma once

#include "kernels.h"
#include "ssim/reduce.cuh"

namespace ssimcu
{

/* A tile of the grid and its window positions. */
struct Tile {
    uint32_t column, row, x0, x1, y0, y1;
};

/* Sums over a piece of a tile in one plane. They are of 1 - SSIM, and of the differences of the
 * windows' means, OUT minus REF, in 255ths of white. */
struct TileSums {
    double of[SSIMCU_TILE_NUMBERS];
};

/* The features of a piece; the last two are maxima. */
struct TileFeatures {
    float of[SSIMCU_TILE_FEATURES];

    __device__ __forceinline__ void add(float difference, float texture, float bright, float dark)
    {
        of[0] += difference, of[1] += texture;
        of[2] = fmaxf(of[2], bright), of[3] = fmaxf(of[3], dark);
    }
    /* Adds a piece, whose numbers are doubles that lie `step` apart. */
    __device__ __forceinline__ void add_cell(const double *cell, int step)
    {
        add((float)cell[SSIMCU_TILE_DIFFERENCE * step], (float)cell[SSIMCU_TILE_TEXTURE * step],
            (float)cell[SSIMCU_TILE_BRIGHT * step], (float)cell[SSIMCU_TILE_DARK * step]);
    }
};

/* Joins value lane / 8 over all lanes by join(own, give, step), where `give` goes to the lane
 * `step` away. Lanes exchange the values that they do not return. */
template <class Number, class Join>
__device__ __forceinline__ Number join_one_of(const Number (&value)[4], Join join)
{
    const int lane = threadIdx.x % LANES;
    const bool later = lane & 16, second = lane & 8;
    const Number one = join(later ? value[2] : value[0], later ? value[0] : value[2], 16);
    const Number two = join(later ? value[3] : value[1], later ? value[1] : value[3], 16);
    Number own = join(second ? two : one, second ? one : two, 8);
#pragma unroll
    for (int step = 4; step > 0; step /= 2) own = join(own, own, step);
    return own;
}

/* Joins a warp's features of so many planes. Returns feature lane / 8 of plane lane % 8, if there
 * is one. */
__device__ __forceinline__ float join_lanes(const TileFeatures (&all)[SSIMCU_MAX_CHANNELS],
                                            int planes)
{
    const int lane = threadIdx.x % LANES;
    const bool most = lane >= 16;
    float mine = 0;
#pragma unroll
    for (int p = 0; p < SSIMCU_MAX_CHANNELS; p++) {
        if (p == planes) break;
        const float own = join_one_of(all[p].of, [most](float own, float give, int step) {
            const float other = __shfl_xor_sync(ALL_LANES, give, step);
            return most ? fmaxf(own, other) : own + other;
        });
        mine = lane % 8 == p ? own : mine;
    }
    return mine;
}

constexpr int TILE_WARPS = REDUCE_THREADS / LANES; /* warps of a block */

/* A warp's tile, and the destination of its numbers. */
struct TileJob {
    Tile tile;
    int plane;     /* first plane of the group */
    int count;     /* pieces of the tile on a plane */
    double *means; /* of the first tile (core/tile_grid.h) */
    int at, tiles;
};

template <class Pieces>
__device__ TileJob job_of(const ssimcu_ssim_task &task, const Pieces &pieces,
                          const Reduction &reduction, int index)
{
    const ssimcu_tile_grid &grid = task.grid;
    const int shrink = task.zero_pad ? 0 : OPEN;
    TileJob job;
    job.tiles = grid.columns * grid.rows;
    const int group = index / job.tiles;
    job.at = index % job.tiles;
    Tile &tile = job.tile;
    tile.column = job.at % grid.columns;
    tile.row = job.at / grid.columns;
    ssimcu_tile_span(tile.column, grid.width, grid.border, task.width - shrink, &tile.x0, &tile.x1);
    ssimcu_tile_span(tile.row, grid.height, grid.border, task.height - shrink, &tile.y0, &tile.y1);
    job.plane = group * reduction.group;
    job.count = pieces.count(task, tile);
    const int doubles = ssimcu_tile_doubles(&grid, reduction.group);
    job.means = reduction.means + (int64_t)group * job.tiles * doubles;
    return job;
}

__device__ __forceinline__ double *means_of(const TileJob &job, int planes)
{
    return job.means + (int64_t)job.at * ssimcu_tile_step(planes);
}

__device__ __forceinline__ float *features_of(const TileJob &job, int planes)
{
    return ssimcu_tile_features(job.means, job.tiles, planes) +
           ssimcu_tile_feature_at(job.at, 0, planes, 0);
}

/* The results of a block's warps, and their destination, or NULL. The block writes them together,
 * because a piece per warp is too small for the host's bus. */
struct Results {
    static constexpr int MEANS = 1 + SSIMCU_MAX_CHANNELS;
    static constexpr int FEATURES = SSIMCU_TILE_FEATURES * SSIMCU_MAX_CHANNELS;
    static constexpr int SLOTS = 16; /* of features; FEATURES are used */
    double mean[TILE_WARPS][MEANS];
    double *mean_to[TILE_WARPS];
    float feature[TILE_WARPS][FEATURES];
    float *feature_to[TILE_WARPS];

    __device__ __forceinline__ void write(int planes) const
    {
        __syncthreads();
        for (int i = threadIdx.x; i < TILE_WARPS * MEANS; i += REDUCE_THREADS) {
            double *const to = mean_to[i / MEANS];
            if (to && i % MEANS <= planes) to[i % MEANS] = mean[i / MEANS][i % MEANS];
        }
        for (int i = threadIdx.x; i < TILE_WARPS * SLOTS; i += REDUCE_THREADS) {
            float *const to = feature_to[i / SLOTS];
            if (to && i % SLOTS < SSIMCU_TILE_FEATURES * planes)
                to[i % SLOTS] = feature[i / SLOTS][i % SLOTS];
        }
    }
};

/* Makes a tile's score, and its level shift in each plane. */
template <class Pieces>
__device__ void make_score(const ssimcu_ssim_task &task, const Pieces &pieces, int planes,
                           const TileJob &job, double (&means)[Results::MEANS])
{
    const int lane = threadIdx.x % LANES, number = lane / 8;
    double sums[1 + SSIMCU_MAX_CHANNELS] = {};
    for (int i = lane; i < job.count * planes; i += LANES) {
        const int plane = i / job.count;
        const TileSums own = pieces.get(task, job.plane + plane, i % job.count, job.tile);
        sums[0] += own.of[SSIMCU_TILE_SSIM];
#pragma unroll
        for (int p = 0; p < SSIMCU_MAX_CHANNELS; p++)
            sums[1 + p] += p == plane ? own.of[SSIMCU_TILE_SHIFT] : 0;
    }
    const double sum = join_one_of(sums, [](double own, double give, int step) {
        return own + __shfl_xor_sync(ALL_LANES, give, step); /* the order of sum_lanes() */
    });
    if (lane % 8 || number > planes) return;
    const Tile &tile = job.tile;
    const double windows = (double)(tile.x1 - tile.x0) * (tile.y1 - tile.y0);
    const double mean = sum / (number == 0 ? windows * planes : windows);
    means[number] = number == 0 ? 1 - mean : mean;
}

/* Makes a tile's features. They have a separate warp, because most of the time is waiting for
 * cells. A lane takes the features of all planes, which lie at the same place in each. Then eight
 * lanes hold each feature and convert it to levels, one plane per lane. */
template <class Pieces>
__device__ void make_features(const ssimcu_ssim_task &task, const Pieces &pieces, int planes,
                              const TileJob &job, float (&features)[Results::FEATURES])
{
    const int lane = threadIdx.x % LANES, count = pieces.feature_count(task, job.tile);
    const int feature = lane / 8, plane = lane % 8;
    TileFeatures all[SSIMCU_MAX_CHANNELS] = {};
    for (int i = lane; i < count; i += LANES)
        pieces.add_features(task, job.plane, planes, i, job.tile, all);
    const float sum = join_lanes(all, planes);
    if (plane >= planes) return;
    const uint32_t counted =
        ssimcu_tile_even(job.tile.x0, job.tile.x1) *
        ssimcu_tile_sum_rows(job.tile.y0, job.tile.y1, SSIMCU_TILE_NUMBERS + feature);
    const float windows = (float)max(counted, 1); /* an empty sum is 0 */
    const float own = feature == 0   ? sum / windows
                      : feature == 1 ? fmaxf(sum, 0.0f) / (2 * windows)
                                     : sum;
    features[ssimcu_tile_feature_at(0, feature, planes, plane)] =
        (float)pieces.levels() * (feature == 0 ? own : sqrtf(own));
}

/* Returns the number of blocks that share tiles: one for scores, and one for features. So each
 * writes twice as many tiles in one piece as a block with both would. */
__host__ __device__ inline int blocks_of_tiles(const ssimcu_tile_grid &grid)
{
    return grid.features ? 2 : 1;
}

template <class Pieces>
__global__ void __launch_bounds__(REDUCE_THREADS, 4)
    tiles_kernel(const __grid_constant__ ssimcu_ssim_task task,
                 const __grid_constant__ Pieces pieces, const __grid_constant__ Reduction reduction)
{
    if (blockIdx.x < reduction.planes) {
        wait_for_kernel_before();
        return reduce_plane(reduction, blockIdx.x);
    }
    const int planes = reduction.group, abreast = blocks_of_tiles(task.grid);
    const int block = blockIdx.x - reduction.planes, own = threadIdx.x / LANES;
    const TileJob job = job_of(task, pieces, reduction, block / abreast * TILE_WARPS + own);
    const bool has_job = job.plane < reduction.planes;
    /* Neither kind is always odd. An SM may get every 132nd block, and so only blocks of one
     * parity. */
    const bool is_score = abreast == 1 || __popc(block) % 2;
    __shared__ Results results;
    wait_for_kernel_before();
    if (threadIdx.x % LANES == 0) {
        results.mean_to[own] = has_job && is_score ? means_of(job, planes) : nullptr;
        results.feature_to[own] = has_job && !is_score ? features_of(job, planes) : nullptr;
    }
    if (has_job && is_score) make_score(task, pieces, planes, job, results.mean[own]);
    if (has_job && !is_score) make_features(task, pieces, planes, job, results.feature[own]);
    results.write(planes);
}

template <class Pieces>
cudaError_t launch_tiles(const ssimcu_ssim_task &task, const Pieces &pieces,
                         const Reduction &reduction, cudaStream_t stream)
{
    const int64_t tiles =
        (int64_t)task.grid.columns * task.grid.rows * (reduction.planes / reduction.group);
    const int64_t blocks =
        reduction.planes + blocks_of_tiles(task.grid) * ssimcu_divide_up(tiles, TILE_WARPS);
    return launch_behind(tiles_kernel<Pieces>, (unsigned)blocks, stream, task, pieces, reduction);
}

} // namespace ssimcu
