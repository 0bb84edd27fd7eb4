/* The fused SSIM kernel for any GPU: two sets of float planes in, the sum of 1 - SSIM per strip
 * out, and the map. Large frames use the tensor cores if the device has them (tensor.cuh), and the
 * smallest frames ssim_double.cu. This path is for frames in between, for other devices, and for
 * samples outside 0 to white. docs/ssim-kernel.md has its profile and the failed attempts.
 *
 * FORM. ssim.cuh has the four moments and 1 - SSIM.
 *
 * DATA FLOW. One warp owns a strip of 128 columns and up to STRIP_ROWS rows of window positions;
 * each lane owns 4 neighbouring columns. Rows of both planes arrive in a small ring in shared
 * memory by asynchronous copies. These run several rows ahead and fill with zeros outside the
 * frame. Per row a lane reads the 14 samples under its 4 windows and forms s and d. It takes the
 * horizontal 11-tap sums of s, d, s^2 and d^2. The vertical sums are rotating partial sums in
 * registers. A row completes the window that ends on it. It moves every other partial sum one
 * register on within the multiply-add itself: p[k] = p[k+1] + g[k]*h. So there are no register
 * moves, and no row is kept.
 *
 * ROUNDING. var(s) = mean(s^2) - mean(s)^2 loses digits if the mean is far from 0. On a flat region
 * it is wrong by 1.5e-7 mean^2, which the C constants do not hide (worst flat pair: 1.7e-4 of
 * SSIM). So each lane measures s and d from a separate origin. It moves the origin when a row's
 * mean is far from it, relative to the row's spread. The window that ends on that row is completed
 * first, because most of it lies in the old surroundings. The other windows take the row after the
 * move, because it is the first of their new surroundings. That leaves 2e-6 on a window just past
 * an edge. The test costs a few instructions a row; the move itself is rare.
 *
 * TIMES are of one 4K RGB frame on an H200. The kernel is bound by instruction issue.
 */
#include "ssim/cut.h"
#include "ssim/fma_accumulate.cuh"
#include "ssim/paths.cuh"
#include "ssim/tiles.cuh"
#include "ssim/turn.cuh"

namespace ssimcu
{
namespace
{

using namespace fma;

constexpr int STRIP_ROWS = 198; /* most rows; full waves take fewer (cut.h): 1080p 162 -> 64 us */
constexpr int SM_BLOCKS = 2;    /* 254 registers a thread, 160 of them for open windows */

__device__ __forceinline__ void store_map(const ssimcu_ssim_task &task, const Strip &strip, int row,
                                          int column, const float (&e)[LANE_PX])
{
    float *to = task.map + strip.plane_index * task.map_plane_floats +
                (strip.y0 + row) * task.map_pitch_floats + strip.x0 + column;
#pragma unroll
    for (int j = 0; j < LANE_PX; j++)
        if (column + j < strip.cols) to[j] = 1.0f - e[j];
}

/* The cut of a frame into strips. */
struct Cut {
    int across, down; /* strips per plane */
    int rows;         /* window positions down a strip */
    int cells_down;   /* most rows of the score's grid in a strip */
    double levels;    /* shift of mean(d) in 255ths of white */
    Constants twice;
};

/* Returns the strip of this warp. Its rows are 0 or fewer if no strip is left. */
template <bool ZERO_PAD>
__device__ Strip own_strip(const ssimcu_ssim_task &task, const Cut &cut, int warp)
{
    Strip strip;
    const int shrink = ZERO_PAD ? 0 : OPEN, per_plane = cut.across * cut.down;
    strip.index = blockIdx.x * BLOCK_WARPS + warp;
    strip.plane_index = strip.index / per_plane;
    strip.x0 = strip.index % cut.across * STRIP_COLS;
    strip.y0 = strip.index % per_plane / cut.across * cut.rows;
    strip.rows = strip.plane_index < task.channels * task.frames
                     ? min(cut.rows, task.height - shrink - strip.y0)
                     : 0;
    strip.cols = min(STRIP_COLS, task.width - shrink - strip.x0);
    const int first = strip.x0 - Row<ZERO_PAD>::LEFT;
    strip.whole = first >= 0 && first + Row<ZERO_PAD>::FLOATS <= task.width;
    const int64_t start = strip.plane_index / task.channels * task.frame_bytes +
                          strip.plane_index % task.channels * task.plane_bytes;
    strip.plane[REF] = reinterpret_cast<const float *>((const char *)task.ref + start);
    strip.plane[OUT] = reinterpret_cast<const float *>((const char *)task.out + start);
    return strip;
}

/* Sets the first origin of a strip: the sample under the middle of the lane's windows. */
template <bool ZERO_PAD, Samples SAMPLES>
__device__ __forceinline__ void set_origin(const float (*row)[Row<ZERO_PAD>::FLOATS], int lane,
                                           float (&origin)[2])
{
    const int middle = lane * LANE_PX + Row<ZERO_PAD>::SKIP + SSIMCU_RADIUS + LANE_PX / 2;
    origin[S] = rintf(from_origin<SAMPLES>(row[REF][middle], row[OUT][middle], S, 0));
    origin[D] = rintf(from_origin<SAMPLES>(row[REF][middle], row[OUT][middle], D, 0));
}

/* Waits for a row, requests one further down, and sums along the row. */
template <bool ZERO_PAD, Samples SAMPLES>
__device__ __forceinline__ void next_row(const ssimcu_ssim_task &task, const Strip &strip,
                                         Ring<ZERO_PAD> &ring, int row, int lane,
                                         const float (&origin)[2], float (&h)[LANE_PX][MOMENTS])
{
    __pipeline_wait_prior(RING_ROWS - 2);
    __syncwarp();
    fetch_row<ZERO_PAD>(task, strip, ring, row + RING_ROWS - 1, lane);
    blur_row<ZERO_PAD, SAMPLES>(ring[row % RING_ROWS], lane, origin, h);
}

/* Adds the row to the open windows, from an origin near it. */
template <bool ZERO_PAD, Samples SAMPLES>
__device__ __forceinline__ void take_in(const float (*row)[Row<ZERO_PAD>::FLOATS], int lane,
                                        const Constants &twice, float (&origin)[2],
                                        float (&h)[LANE_PX][MOMENTS], Partial (&open)[LANE_PX])
{
    if (__any_sync(ALL_LANES, is_far(h[LANE_PX / 2], twice))) {
        move_origin(open, origin, rintf(h[LANE_PX / 2][S]), rintf(h[LANE_PX / 2][D]));
        blur_row<ZERO_PAD, SAMPLES>(row, lane, origin, h);
    }
#pragma unroll
    for (int j = 0; j < LANE_PX; j++) rotate(open[j], h[j]);
}

template <bool ZERO_PAD, Samples SAMPLES, Output OUTPUT>
__global__ void __launch_bounds__(LANES *BLOCK_WARPS, SM_BLOCKS)
    ssim_kernel(const __grid_constant__ ssimcu_ssim_task task, const Cut cut)
{
    __shared__ __align__(16) Ring<ZERO_PAD> rings[BLOCK_WARPS];
    const int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES, column = lane * LANE_PX;
    const Strip strip = own_strip<ZERO_PAD>(task, cut, warp);
    if (OUTPUT == STRUCTURE) take_turn(task.beside);
    if (strip.rows <= 0) return;
    Ring<ZERO_PAD> &ring = rings[warp];
    Partial open[LANE_PX] = {};
    float origin[2], h[LANE_PX][MOMENTS], e[LANE_PX];
    Window window[LANE_PX];
    Account<OUTPUT> account(task, strip, cut.cells_down, column);

    for (int row = 0; row < RING_ROWS - 1; row++) fetch_row<ZERO_PAD>(task, strip, ring, row, lane);
    __pipeline_wait_prior(RING_ROWS - 2);
    __syncwarp();
    set_origin<ZERO_PAD, SAMPLES>(ring[0], lane, origin);
#pragma unroll 1
    for (int row = 0; row < OPEN; row++) { /* no window completes here; a separate loop is faster */
        next_row<ZERO_PAD, SAMPLES>(task, strip, ring, row, lane, origin, h);
        take_in<ZERO_PAD, SAMPLES>(ring[row % RING_ROWS], lane, cut.twice, origin, h, open);
    }
#pragma unroll 1
    for (int row = OPEN; row < strip.rows + OPEN; row++) {
        next_row<ZERO_PAD, SAMPLES>(task, strip, ring, row, lane, origin, h);
#pragma unroll
        for (int j = 0; j < LANE_PX; j++) {
            e[j] = dissimilarity(open[j], h[j], origin, cut.twice, window[j]);
            if (column + j >= strip.cols) e[j] = 0, window[j] = {0, 0, 0};
        }
        account.add(row - OPEN, e, window);
        if constexpr (OUTPUT == STRUCTURE) account.add_structure(window, cut.twice.c2);
        account.end_row(task, strip, row - OPEN);
        if (OUTPUT == MAP || (OUTPUT >= TILES && task.map))
            store_map(task, strip, row - OPEN, column, e);
        take_in<ZERO_PAD, SAMPLES>(ring[row % RING_ROWS], lane, cut.twice, origin, h, open);
    }
    const double total = account.finish();
    if (lane == 0) task.partial[strip.index] = total;
    if constexpr (OUTPUT == STRUCTURE) {
        const double structure = account.finish_structure();
        if (lane == 0) task.structure[strip.index] = structure;
    }
    end_behind_kernel_before();
}

/* Cuts a frame into strips of equal height, so that the last one is not a sliver. */
Cut cut_frame(const ssimcu_ssim_task &task)
{
    const int rows = ssimcu_ssim_positions(task.height, task.zero_pad);
    Cut cut;
    cut.across =
        (int)ssimcu_divide_up(ssimcu_ssim_positions(task.width, task.zero_pad), STRIP_COLS);
    const double abreast = (double)cut.across * SSIMCU_MAX_CHANNELS / BLOCK_WARPS;
    const int strips = best_strips(rows, OPEN + RING_ROWS, abreast, SMS * SM_BLOCKS, STRIP_ROWS);
    cut.rows = (int)ssimcu_divide_up(rows, strips);
    cut.down = (int)ssimcu_divide_up(rows, cut.rows);
    cut.cells_down = task.grid.width ? (cut.rows - 1) / (int)task.grid.height + 2 : 0;
    cut.levels = -SSIMCU_PEAK / white_of(task);
    cut.twice = {(float)(2 * SSIMCU_C1(white_of(task))), (float)(2 * SSIMCU_C2(white_of(task)))};
    return cut;
}

/* The pieces of a tile are cells. */
struct CellPieces {
    Cut cut;

    __device__ int across(const Tile &tile) const
    {
        return (tile.x1 - 1) / STRIP_COLS - tile.x0 / STRIP_COLS + 1;
    }
    __device__ int count(const ssimcu_ssim_task &, const Tile &tile) const
    {
        return across(tile) * ((tile.y1 - 1) / cut.rows - tile.y0 / cut.rows + 1);
    }
    /* Returns the first number of a piece; the others lie PARTS apart. */
    __device__ const double *cell_of(const ssimcu_ssim_task &task, int plane, int piece,
                                     const Tile &tile) const
    {
        const int x = tile.x0 / STRIP_COLS + piece % across(tile);
        const int y = tile.y0 / cut.rows + piece / across(tile);
        const int border = task.grid.border;
        const int part = tile.column - (x * STRIP_COLS + border) / task.grid.width;
        const int row = tile.row - (y * cut.rows + border) / task.grid.height;
        const int64_t strip = ((int64_t)plane * cut.down + y) * cut.across + x;
        return task.cells +
               (strip * cut.cells_down + row) * ssimcu_tile_numbers(&task.grid) * PARTS + part;
    }
    __device__ TileSums get(const ssimcu_ssim_task &task, int plane, int piece,
                            const Tile &tile) const
    {
        const double *const cell = cell_of(task, plane, piece, tile);
        return {{cell[0], cell[PARTS] * cut.levels}};
    }
    __device__ int feature_count(const ssimcu_ssim_task &task, const Tile &tile) const
    {
        return count(task, tile);
    }
    __device__ void add_features(const ssimcu_ssim_task &task, int plane, int planes, int piece,
                                 const Tile &tile,
                                 TileFeatures (&features)[SSIMCU_MAX_CHANNELS]) const
    {
#pragma unroll
        for (int p = 0; p < SSIMCU_MAX_CHANNELS; p++)
            if (p < planes) features[p].add_cell(cell_of(task, plane + p, piece, tile), PARTS);
    }
    __device__ double levels() const { return -cut.levels; }
};

template <bool ZERO_PAD, Samples SAMPLES>
auto *kernel_of(const ssimcu_ssim_task &task)
{
    if constexpr (!ZERO_PAD)
        if (task.structure) return ssim_kernel<ZERO_PAD, SAMPLES, STRUCTURE>;
    return task.grid.features ? ssim_kernel<ZERO_PAD, SAMPLES, FEATURES>
           : task.grid.width  ? ssim_kernel<ZERO_PAD, SAMPLES, TILES>
           : task.map         ? ssim_kernel<ZERO_PAD, SAMPLES, MAP>
                              : ssim_kernel<ZERO_PAD, SAMPLES, SCORE>;
}

template <bool ZERO_PAD>
auto *kernel_for(const ssimcu_ssim_task &task)
{
    return task.samples != SSIMCU_SSIM_FIXED ? kernel_of<ZERO_PAD, FLOATS>(task)
           : task.unbounded                  ? kernel_of<ZERO_PAD, ANY_FIXED>(task)
                                             : kernel_of<ZERO_PAD, FIXED>(task);
}

} // namespace
} // namespace ssimcu

size_t ssimcu::fma_partials(const ssimcu_ssim_task &task)
{
    const Cut cut = cut_frame(task);
    return (size_t)cut.across * cut.down * task.channels * task.frames;
}

size_t ssimcu::fma_cells(const ssimcu_ssim_task &task)
{
    return fma_partials(task) * cut_frame(task).cells_down * ssimcu_tile_numbers(&task.grid) *
           PARTS;
}

cudaError_t ssimcu::fma_tiles(const ssimcu_ssim_task &task, const Reduction &reduction,
                              cudaStream_t stream)
{
    return launch_tiles(task, CellPieces{cut_frame(task)}, reduction, stream);
}

cudaError_t ssimcu::fma_launch(const ssimcu_ssim_task &task, cudaStream_t stream)
{
    const unsigned blocks = (unsigned)ssimcu_divide_up((int64_t)fma_partials(task), BLOCK_WARPS);
    auto *kernel = task.zero_pad ? kernel_for<true>(task) : kernel_for<false>(task);
    return launch_beside(task.beside, kernel, blocks, LANES * BLOCK_WARPS, stream, task,
                         cut_frame(task));
}
