/* The fused SSIM kernel for any GPU: two sets of float planes in, the sum of 1 - SSIM per strip
 * out, and the map. Large frames take the tensor cores if there are some (tensor.cuh), the smallest
 * ssim_double.cu. This path is for those between, for other devices, and for samples outside 0 to
 * white. docs/ssim-kernel.md has its profile and what was tried and lost.
 *
 * FORM. ssim.cuh has the four moments, and 1 - SSIM from them.
 *
 * DATA FLOW. One warp owns a strip of 128 columns and up to STRIP_ROWS rows of window positions;
 * each lane owns 4 neighbouring columns. Rows of both planes arrive in a small ring in shared
 * memory by asynchronous copies. These run several rows ahead and fill with zeros outside the
 * frame. Per row a lane reads the 14 samples under its 4 windows and forms s and d. It takes the
 * horizontal 11-tap sums of s, d, s^2 and d^2. The vertical sums are rotating partial sums in
 * registers. A row completes the window that ends on it. It moves every other partial sum one
 * register on within the multiply-add itself, p[k] = p[k+1] + g[k]*h. So nothing is ever moved and
 * no row is kept.
 *
 * ROUNDING. var(s) = mean(s^2) - mean(s)^2 loses digits if the mean is far from 0. On a flat region
 * it is wrong by 1.5e-7 mean^2, which the C constants do not hide (worst flat pair: 1.7e-4 of
 * SSIM). So each lane measures s and d from its own origin. It moves the origin when a row's mean
 * has gone far from it, by the row's own spread. The window that ends on that row is completed
 * first, because it lies in the old surroundings. The others take the row in after the move,
 * because it is the first of their new ones. That leaves 2e-6 on a window with an edge behind it.
 * The test costs a few instructions a row; the move itself is rare.
 *
 * TIMES are of one 4K RGB frame on an H200. The kernel is bound by instruction issue.
 */
#include "ssim/cut.h"
#include "ssim/fma_windows.cuh"
#include "ssim/paths.cuh"
#include "ssim/tiles.cuh"

namespace ssimcu
{
namespace
{

using namespace fma;

constexpr int STRIP_ROWS = 198; /* most rows; full waves take fewer (cut.h): 1080p 162 -> 64 us */
constexpr int BLOCK_WARPS = 4;  /* strips per block, one per scheduler; with one: 187 -> 266 us */
constexpr int SM_BLOCKS = 2;    /* 254 registers a thread, 160 of which are open windows */

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
    int cells_down;   /* rows of the score's grid that a strip may reach */
    double levels;    /* shift of mean(d) in 255ths of white */
    Constants twice;
};

/* Returns the strip of this warp; rows is 0 or less if none is left. */
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

/* Sets the origin that a strip starts from: the sample under the middle of the lane's windows. */
template <bool ZERO_PAD, Samples SAMPLES>
__device__ __forceinline__ void set_origin(const float (*row)[Row<ZERO_PAD>::FLOATS], int lane,
                                           float (&origin)[2])
{
    const int middle = lane * LANE_PX + Row<ZERO_PAD>::SKIP + SSIMCU_RADIUS + LANE_PX / 2;
    origin[S] = rintf(from_origin<SAMPLES>(row[REF][middle], row[OUT][middle], S, 0));
    origin[D] = rintf(from_origin<SAMPLES>(row[REF][middle], row[OUT][middle], D, 0));
}

/* Waits for a row, asks for one further down, and sums along it. */
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

/* Takes the row into the open windows, from an origin that is near it. */
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

/* A cell is what a strip and a tile of the score's grid share. A strip has up to cells_down rows of
 * PARTS cells. A lane's columns lie in two of them at most. */
constexpr int PARTS = (STRIP_COLS - 2) / TAPS + 2;

/* Outputs of a kernel besides the score. TILES writes the map as well, if the task has one.
 * FEATURES are tiles with all of their numbers. */
enum Output { SCORE, MAP, TILES, FEATURES };

/* The sum of 1 - SSIM of a strip, with its cells or without. */
template <Output OUTPUT>
struct Account {
    Sum sum;

    __device__ __forceinline__ Account(const ssimcu_ssim_task &, const Strip &, int, int) {}
    __device__ __forceinline__ void add(const float (&e)[LANE_PX], const Window (&)[LANE_PX])
    {
        sum.add((e[0] + e[1]) + (e[2] + e[3]));
    }
    __device__ __forceinline__ void end_row(const ssimcu_ssim_task &, const Strip &, int) {}
    __device__ __forceinline__ double finish() { return sum_lanes(sum); }
};

/* A lane's features of its two cells, which lie in shared memory, because registers are short. */
struct Features {
    static __device__ __forceinline__ float &of(int part, int feature)
    {
        __shared__ float sums[2][SSIMCU_TILE_FEATURES][LANES * BLOCK_WARPS];
        return sums[part][feature][threadIdx.x];
    }
    static __device__ __forceinline__ void clear()
    {
#pragma unroll
        for (int i = 0; i < 2 * SSIMCU_TILE_FEATURES; i++) of(i % 2, i / 2) = 0;
    }
    /* Adds the windows that lie in a cell; `mine` says which. */
    static __device__ __forceinline__ void add(int part, const bool (&mine)[LANE_PX],
                                               const Window (&window)[LANE_PX])
    {
        float difference = 0, texture = 0, bright = 0, dark = 0;
#pragma unroll
        for (int j = 0; j < LANE_PX; j++) {
            if (mine[j] == (part == 1)) continue;
            const Window &w = window[j];
            difference += fabsf(w.mean_d);
            texture += w.var_s + w.var_d;
            bright = fmaxf(bright, w.mean_d < 0 ? w.var_d : 0);
            dark = fmaxf(dark, w.mean_d > 0 ? w.var_d : 0);
        }
        of(part, SSIMCU_TILE_DIFFERENCE - SSIMCU_TILE_NUMBERS) += difference;
        of(part, SSIMCU_TILE_TEXTURE - SSIMCU_TILE_NUMBERS) += texture;
        float &b = of(part, SSIMCU_TILE_BRIGHT - SSIMCU_TILE_NUMBERS);
        float &d = of(part, SSIMCU_TILE_DARK - SSIMCU_TILE_NUMBERS);
        b = fmaxf(b, bright), d = fmaxf(d, dark);
    }
    /* Writes those of a cell, if `part`, 0 or 1, is the lane's part of it, else -1. */
    static __device__ __forceinline__ void write(int part, double *cell)
    {
#pragma unroll
        for (int f = 0; f < SSIMCU_TILE_FEATURES; f++) {
            const double own = part >= 0 ? (double)of(part, f) : 0;
            const double all =
                f < SSIMCU_TILE_BRIGHT - SSIMCU_TILE_NUMBERS ? sum_lanes(own) : most_of_lanes(own);
            if (threadIdx.x % LANES == 0) cell[f * PARTS] = all;
        }
    }
};

template <bool ALL>
struct TilesAccount {
    static constexpr int NUMBERS = ALL ? SSIMCU_TILE_ALL_NUMBERS : SSIMCU_TILE_NUMBERS;
    Sum sum[2];
    float shift[2] = {0, 0};
    double *cells, total = 0; /* cells of the row of the grid, and the sum of the rows before */
    int end;                  /* end of that row, counted from the strip's first */
    int left, part, parts;    /* columns of the left cell; its number; cells of the row */

    __device__ __forceinline__ TilesAccount(const ssimcu_ssim_task &task, const Strip &strip,
                                            int cells_down, int column)
        : cells(task.cells + (int64_t)strip.index * cells_down * NUMBERS * PARTS)
    {
        if (ALL) Features::clear();
        const int width = task.grid.width, height = task.grid.height, border = task.grid.border;
        const int at = strip.x0 + border, first = at / width, own = (at + column) / width;
        end = ((strip.y0 + border) / height + 1) * height - border - strip.y0;
        left = (own + 1) * width - at - column;
        part = own - first;
        parts = (at + strip.cols - 1) / width - first + 1;
    }
    __device__ __forceinline__ void add(const float (&e)[LANE_PX], const Window (&w)[LANE_PX])
    {
        float own = e[0], other = 0, own_shift = w[0].mean_d, other_shift = 0;
#pragma unroll
        for (int j = 1; j < LANE_PX; j++) {
            own += j < left ? e[j] : 0;
            other += j < left ? 0 : e[j];
            own_shift += j < left ? w[j].mean_d : 0;
            other_shift += j < left ? 0 : w[j].mean_d;
        }
        if (ALL) {
            bool mine[LANE_PX];
#pragma unroll
            for (int j = 0; j < LANE_PX; j++) mine[j] = j < left;
            Features::add(0, mine, w);
            if (left < LANE_PX) Features::add(1, mine, w);
        }
        sum[0].add(own);
        sum[1].add(other);
        shift[0] += own_shift;
        shift[1] += other_shift;
    }
    __device__ __forceinline__ void end_row(const ssimcu_ssim_task &task, const Strip &strip,
                                            int row)
    {
        if (row + 1 != end && row + 1 != strip.rows) return;
#pragma unroll 1
        for (int p = 0; p < parts; p++) {
            double own = 0, moved = 0;
#pragma unroll
            for (int i = 0; i < 2; i++)
                if (part + i == p) {
                    own += (double)sum[i].total - (double)sum[i].lost;
                    moved += (double)shift[i];
                }
            own = sum_lanes(own);
            moved = sum_lanes(moved);
            total += own;
            if (ALL) {
                const int mine = part == p ? 0 : part + 1 == p ? 1 : -1;
                Features::write(mine, cells + SSIMCU_TILE_NUMBERS * PARTS + p);
            }
            if (threadIdx.x % LANES > 0) continue;
            cells[p] = own;
            cells[PARTS + p] = moved;
        }
        sum[0] = sum[1] = Sum();
        shift[0] = shift[1] = 0;
        if (ALL) Features::clear();
        cells += NUMBERS * PARTS;
        end += task.grid.height;
    }
    __device__ __forceinline__ double finish() { return total; }
};

template <>
struct Account<TILES> : TilesAccount<false> {
    using TilesAccount<false>::TilesAccount;
};
template <>
struct Account<FEATURES> : TilesAccount<true> {
    using TilesAccount<true>::TilesAccount;
};

template <bool ZERO_PAD, Samples SAMPLES, Output OUTPUT>
__global__ void __launch_bounds__(LANES *BLOCK_WARPS, SM_BLOCKS)
    ssim_kernel(const __grid_constant__ ssimcu_ssim_task task, const Cut cut)
{
    __shared__ __align__(16) Ring<ZERO_PAD> rings[BLOCK_WARPS];
    const int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES, column = lane * LANE_PX;
    const Strip strip = own_strip<ZERO_PAD>(task, cut, warp);
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
    for (int row = 0; row < OPEN; row++) { /* no window is complete: a loop apart is faster */
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
        account.add(e, window);
        account.end_row(task, strip, row - OPEN);
        if (OUTPUT == MAP || (OUTPUT >= TILES && task.map))
            store_map(task, strip, row - OPEN, column, e);
        take_in<ZERO_PAD, SAMPLES>(ring[row % RING_ROWS], lane, cut.twice, origin, h, open);
    }
    const double total = account.finish();
    if (lane == 0) task.partial[strip.index] = total;
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
    __device__ TileSums get(const ssimcu_ssim_task &task, int plane, int piece,
                            const Tile &tile) const
    {
        const int x = tile.x0 / STRIP_COLS + piece % across(tile);
        const int y = tile.y0 / cut.rows + piece / across(tile);
        const int border = task.grid.border;
        const int part = tile.column - (x * STRIP_COLS + border) / task.grid.width;
        const int row = tile.row - (y * cut.rows + border) / task.grid.height;
        const int64_t strip = ((int64_t)plane * cut.down + y) * cut.across + x;
        const int64_t cell =
            (strip * cut.cells_down + row) * ssimcu_tile_numbers(&task.grid) * PARTS + part;
        TileSums sums = {{task.cells[cell], task.cells[cell + PARTS] * cut.levels}};
#pragma unroll
        for (int n = SSIMCU_TILE_NUMBERS; n < SSIMCU_TILE_ALL_NUMBERS; n++)
            sums.of[n] = task.grid.features ? task.cells[cell + n * PARTS] : 0;
        return sums;
    }
    static constexpr bool HAS_FEATURES = true;
    __device__ double levels() const { return -cut.levels; }
};

template <bool ZERO_PAD, Samples SAMPLES>
auto *kernel_of(const ssimcu_ssim_task &task)
{
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
    kernel<<<blocks, LANES * BLOCK_WARPS, 0, stream>>>(task, cut_frame(task));
    return cudaGetLastError();
}
