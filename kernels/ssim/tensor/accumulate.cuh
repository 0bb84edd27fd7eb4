/* The sums of a warp over a strip (strip.cuh): only its score, or the tiles of the score's grid as
 * well.
 *
 * CELLS are sums over a column of windows within a row of the grid. A lane's windows lie in two
 * columns, each with a separate sum. At the end of a row of the grid, the four lanes of a column
 * add up theirs, and one writes the sum. A run (run.h) may end before such a row does. It then
 * leaves its part of a strip, a tail, in a separate place. So no two warps write the same number,
 * and the order of all sums is fixed. tiles.cuh adds up cells and tails. A cell has two numbers:
 * the sum of (1 - SSIM) / 2, and the sum of mean(d) for the level shift of a tile. The cells and
 * tails of features follow all others (features.cuh).
 *
 * Tiles begin `above` rows above the frame (strip.cuh). So rows of the grid whose height is a
 * multiple of TILE_ROWS end with a tile. Other rows end inside a tile, where each window is tested.
 */
#pragma once

#include "ssim/tensor/features.cuh"

namespace ssimcu::tensor
{

/* Sums of (1 - SSIM) / 2 of the current strip. h, 0 or 1, selects a column of the lane. Window i of
 * a tile lies in column i / 2. Rows count from the strip's first. */
template <Output OUTPUT>
struct Account {
    Sum sum;
    float acc = 0; /* sum of up to three tiles */

    __device__ __forceinline__ Account(const ssimcu_ssim_task &, const Cut &, const Strip &) {}
    /* Returns the number of tiles wholly in the frame that may be added without row tests. */
    __device__ __forceinline__ int plain(const ssimcu_ssim_task &, int tiles) const
    {
        return tiles;
    }
    /* Returns the tiles up to the end of the grid row if that ends with a tile, else all tiles. */
    __device__ __forceinline__ int stop(const ssimcu_ssim_task &, int tiles) const { return tiles; }
    __device__ __forceinline__ float &of(int) { return acc; }
    __device__ __forceinline__ void add(int, float e, const Fractions &, int) { acc += e; }
    __device__ __forceinline__ void add_both(int, const Fractions &) {}
    __device__ __forceinline__ bool ends_before(int) const { return false; }
    __device__ __forceinline__ void add_late(int, float, const Fractions &, int) {}
    __device__ __forceinline__ void end_row(const ssimcu_ssim_task &, const Cut &) {}
    __device__ __forceinline__ void end_tile(const ssimcu_ssim_task &, const Cut &, const Strip &,
                                             int)
    {
    }
    __device__ __forceinline__ void settle()
    {
        sum.add(acc);
        acc = 0;
    }
    using Rest = Sum;
    __device__ __forceinline__ Rest rest() const { return sum; }
    /* Adds the strip's last tiles, whose sum was computed elsewhere. */
    __device__ __forceinline__ void add_rest(const Rest &rest)
    {
        settle();
        sum.add(rest.total);
        sum.add(-rest.lost);
    }
    /* Returns the strip's sum, in lane 0. */
    __device__ __forceinline__ double finish(const ssimcu_ssim_task &, const Cut &, const Strip &,
                                             int)
    {
        return sum_lanes(sum);
    }
};

/* The score, and the sum of squared differences of samples (PSNR). A strip shares columns with the
 * next, so two of the four lanes of a row add up values that are dropped at the end. Letting strips
 * take turns instead costs more than that. */
template <>
struct Account<SQUARES> : Account<SCORE> {
    using Base = Account<SCORE>;
    unsigned squares = 0;

    __device__ __forceinline__ Account(const ssimcu_ssim_task &task, const Cut &cut,
                                       const Strip &strip)
        : Base(task, cut, strip)
    {
    }
    /* Returns whether the lane's columns belong to the strip, or are the last ones. */
    static __device__ __forceinline__ bool has_columns(const ssimcu_ssim_task &task,
                                                       const Strip &strip)
    {
        const bool is_last = strip.x0 + STRIP_COLS >= task.width - (task.zero_pad ? 0 : OPEN);
        return strip.counts && (threadIdx.x % 4 < 2 || is_last);
    }
    /* The sum of the warp's strips, which its first lane reads and writes. */
    static constexpr int MOST_WARPS = 4;
    static __device__ __forceinline__ double &of_run()
    {
        __shared__ double sums[MOST_WARPS];
        return sums[threadIdx.x / LANES];
    }
    __device__ __forceinline__ double finish(const ssimcu_ssim_task &task, const Cut &cut,
                                             const Strip &strip, int place)
    {
        const double own = sum_lanes(has_columns(task, strip) ? (double)squares : 0);
        if (threadIdx.x % LANES == 0) of_run() += own;
        return Base::finish(task, cut, strip, place);
    }
};

/* The score, and the sum of (1 - contrast * structure) / 2, which is the share of var(d) in the
 * common denominator. Rounding affects it like the score. Its sum lies in shared memory, because
 * registers are scarce, and walk_wide() goes on adding to it. */
template <>
struct Account<STRUCTURE> : Account<SCORE> {
    using Base = Account<SCORE>;
    float share = 0; /* sum of up to three tiles */

    using Base::Base;
    static constexpr int MOST_THREADS = 4 * LANES;
    static __device__ __forceinline__ float &total()
    {
        __shared__ float sums[MOST_THREADS];
        return sums[threadIdx.x];
    }
    static __device__ __forceinline__ float &lost()
    {
        __shared__ float sums[MOST_THREADS];
        return sums[threadIdx.x];
    }
    static __device__ __forceinline__ void begin_strip() { total() = lost() = 0; }
    /* The sum of the warp's strips, which its first lane reads and writes. */
    static __device__ __forceinline__ double &of_run()
    {
        __shared__ double sums[MOST_THREADS / LANES];
        return sums[threadIdx.x / LANES];
    }

    __device__ __forceinline__ void add(int row, float e, const Fractions &f, int i)
    {
        Base::add(row, e, f, i);
        share = fmaf(f.var_d[i], reciprocal(f.texture[i]), share);
    }
    __device__ __forceinline__ void add_both(int h, const Fractions &f)
    {
        const int i = 2 * h;
        share = fmaf(fmaf(f.var_d[i], f.texture[i + 1], f.var_d[i + 1] * f.texture[i]),
                     reciprocal(f.spread[h]), share);
    }
    __device__ __forceinline__ void add_share(float value)
    {
        Sum sum;
        sum.total = total(), sum.lost = lost();
        sum.add(value);
        total() = sum.total, lost() = sum.lost;
    }
    __device__ __forceinline__ void settle()
    {
        Base::settle();
        add_share(share);
        share = 0;
    }
    __device__ __forceinline__ void add_rest(const Rest &rest)
    {
        Base::add_rest(rest);
        add_share(share);
    }
    __device__ __forceinline__ double finish(const ssimcu_ssim_task &task, const Cut &cut,
                                             const Strip &strip, int place)
    {
        const double own = sum_lanes((double)total() - (double)lost());
        if (threadIdx.x % LANES == 0) of_run() += own;
        return Base::finish(task, cut, strip, place);
    }
};

/* Returns whether rows of the grid end where a tile of the strip does. */
__host__ __device__ __forceinline__ bool has_whole_rows(const ssimcu_ssim_task &task)
{
    return task.grid.height % TILE_ROWS == 0;
}

/* Returns the cells of a plane. */
__device__ __forceinline__ float *cells_of_plane(const ssimcu_ssim_task &task, const Cut &cut,
                                                 int64_t plane)
{
    return reinterpret_cast<float *>(task.cells + plane * cut.plane_cells);
}

/* The strip's score and its cells. A column's part of a grid row is short enough for a float sum.
 * Values that not every tile needs lie in shared memory, because registers are scarce. */
template <bool ALL>
struct TilesAccount {
    float acc[2] = {0, 0}, shift[2] = {0, 0};
    Features features;
    int end; /* end of the row of the grid */

    __device__ __forceinline__ TilesAccount(const ssimcu_ssim_task &task, const Cut &cut,
                                            const Strip &strip)
        : TilesAccount(task, cut, strip, (strip.y0 + (int)task.grid.border) / (int)task.grid.height)
    {
    }
    __device__ __forceinline__ TilesAccount(const ssimcu_ssim_task &task, const Cut &cut,
                                            const Strip &strip, int row)
        : end((row + 1) * (int)task.grid.height - (int)task.grid.border - strip.y0)
    {
        late(0) = late(1) = late_shift(0) = late_shift(1) = 0;
        total() = 0;
        const int64_t at = (int64_t)row * cut.row_cells + strip.x0;
        cell() = cells_of_plane(task, cut, strip.plane_index) + at + own_column();
        if (ALL) features.begin(own_feature(task, cut, strip, at));
    }
    __device__ __forceinline__ int plain(const ssimcu_ssim_task &task, int tiles) const
    {
        return has_whole_rows(task) ? tiles : min(tiles, end / TILE_ROWS);
    }
    __device__ __forceinline__ int stop(const ssimcu_ssim_task &task, int tiles) const
    {
        return has_whole_rows(task) ? min(tiles, end / TILE_ROWS) : tiles;
    }
    __device__ __forceinline__ float &of(int h) { return acc[h]; }
    __device__ __forceinline__ void settle() {}

    static constexpr int MOST_THREADS = 4 * LANES;
    /* A lane's sums of the next grid row, over its rows in the current tile. */
    static __device__ __forceinline__ float &late(int h)
    {
        __shared__ float sums[2][MOST_THREADS];
        return sums[h][threadIdx.x];
    }
    static __device__ __forceinline__ float &late_shift(int h)
    {
        __shared__ float sums[2][MOST_THREADS];
        return sums[h][threadIdx.x];
    }
    /* A lane's sum over the rows that have ended. */
    static __device__ __forceinline__ double &total()
    {
        __shared__ double sums[MOST_THREADS];
        return sums[threadIdx.x];
    }
    /* The place where a lane writes its column's sum at the end of the grid row, if it has a
     * column. */
    static __device__ __forceinline__ float *&cell()
    {
        __shared__ float *cells[MOST_THREADS];
        return cells[threadIdx.x];
    }
    static __device__ __forceinline__ bool has_column() { return threadIdx.x % 4 < 2; }
    static __device__ __forceinline__ int own_column()
    {
        return Lane<(ALL ? FEATURES : TILES)>(0).column(threadIdx.x % 2);
    }
    /* Returns the place of a lane's feature if the strip's cells are at place `at`. */
    static __device__ __forceinline__ float *
    own_feature(const ssimcu_ssim_task &task, const Cut &cut, const Strip &strip, int64_t at)
    {
        return cells_of_plane(task, cut, strip.plane_index) + SSIMCU_TILE_NUMBERS * cut.numbers +
               feature_place(at) + threadIdx.x % LANES;
    }

    __device__ __forceinline__ void add(int row, float e, const Fractions &f, int i)
    {
        acc[i / 2] += row < end ? e : 0;
        shift[i / 2] += row < end ? f.mean_d[i] : 0;
        if (ALL && i == 0 && row < end) features.add(f);
    }
    /* Adds the two windows of a column, but not their score. */
    __device__ __forceinline__ void add_both(int h, const Fractions &f)
    {
        shift[h] += f.mean_d[2 * h] + f.mean_d[2 * h + 1];
        if (ALL && h == 0) features.add(f);
    }
    /* Handles a tile in which the grid row ends. add_late() takes the windows of the next row. */
    __device__ __forceinline__ bool ends_before(int row) const { return end < row; }
    __device__ __forceinline__ void add_late(int row, float e, const Fractions &f, int i)
    {
        if (row < end) return;
        late(i / 2) += e;
        late_shift(i / 2) += f.mean_d[i];
        if (ALL && i == 0) features.add_late(f);
    }

    /* Returns the sum of a column over its four lanes, in each lane of the column. Clears the
     * parts. */
    static __device__ __forceinline__ float take(float (&part)[2])
    {
        const bool second = threadIdx.x % 2;
        float own = second ? part[1] : part[0];
        own += __shfl_xor_sync(ALL_LANES, second ? part[0] : part[1], 1);
        own += __shfl_xor_sync(ALL_LANES, own, 2);
        part[0] = part[1] = 0;
        return own;
    }
    /* Writes the sums of columns to cells, or to a tail. */
    __device__ __forceinline__ void write(const Cut &cut, float *to, float *feature)
    {
        total() += (double)acc[0] + (double)acc[1];
        const float lost = take(acc), moved = take(shift);
        if (ALL) *feature = features.take();
        if (!has_column()) return;
        to[0] = lost;
        to[cut.numbers] = moved;
    }
    __device__ __forceinline__ void end_row(const ssimcu_ssim_task &task, const Cut &cut)
    {
        float *const to = cell(), *const feature = ALL ? Features::cell() : nullptr;
        cell() = to + cut.row_cells;
        if (ALL) Features::cell() = feature + feature_place(cut.row_cells);
        write(cut, to, feature);
        end += task.grid.height;
    }

    /* Ends the grid row after a tile that was added with row tests, if the row ends there. */
    __device__ __forceinline__ void end_tile(const ssimcu_ssim_task &task, const Cut &cut,
                                             const Strip &strip, int tile)
    {
        if (end >= min((tile + 1) * TILE_ROWS, strip.rows)) return;
        end_row(task, cut);
#pragma unroll
        for (int h = 0; h < 2; h++) {
            acc[h] = late(h);
            shift[h] = late_shift(h);
            late(h) = late_shift(h) = 0;
        }
        if (ALL) features.take_late();
    }
    /* Returns the strip's sum. `place` is the number of the run's tail among the plane's. */
    __device__ __forceinline__ double finish(const ssimcu_ssim_task &task, const Cut &cut,
                                             const Strip &strip, int place)
    {
        const int64_t at = cut.tails_at + place * STRIP_COLS;
        float *const tail = cells_of_plane(task, cut, strip.plane_index) + at + own_column();
        float *const feature = ALL ? own_feature(task, cut, strip, at) : nullptr;
        const bool whole = strip.at_foot || end == strip.rows;
        if (whole && !strip.at_foot) {
            if (has_column()) tail[0] = tail[cut.numbers] = 0;
            if (ALL) *feature = 0;
        }
        write(cut, whole ? cell() : tail, ALL && whole ? Features::cell() : feature);
        return sum_lanes(total());
    }
};

template <>
struct Account<TILES> : TilesAccount<false> {
    using TilesAccount<false>::TilesAccount;
};
template <>
struct Account<FEATURES> : TilesAccount<true> {
    using TilesAccount<true>::TilesAccount;
};

} // namespace ssimcu::tensor
