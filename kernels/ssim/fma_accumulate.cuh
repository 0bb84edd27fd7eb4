/* The sums of a strip of ssim_fma.cu, the only user of this file: the score, or the numbers of
 * cells as well.
 *
 * A lane keeps sums of the two cells that its columns may lie in. At the end of a row of the grid,
 * the warp adds them up, and one lane writes them. */
#pragma once

#include "ssim/fma_windows.cuh"

namespace ssimcu::fma
{

constexpr int BLOCK_WARPS = 4; /* strips per block, one per scheduler; with one: 187 -> 266 us */

/* A cell is the overlap of a strip and a tile of the score's grid. A strip has up to cells_down
 * rows of PARTS cells. A lane's columns lie in at most two of them. */
constexpr int PARTS = (STRIP_COLS - 2) / TAPS + 2;

/* Outputs of a kernel besides the score. TILES writes the map as well, if the task has one.
 * FEATURES are tiles with all of their numbers. */
enum Output { SCORE, STRUCTURE, MAP, TILES, FEATURES };

/* The sum of 1 - SSIM of a strip, with its cells or without. */
template <Output OUTPUT>
struct Account {
    Sum sum;

    __device__ __forceinline__ Account(const ssimcu_ssim_task &, const Strip &, int, int) {}
    __device__ __forceinline__ void add(int, const float (&e)[LANE_PX], const Window (&)[LANE_PX])
    {
        sum.add((e[0] + e[1]) + (e[2] + e[3]));
    }
    __device__ __forceinline__ void end_row(const ssimcu_ssim_task &, const Strip &, int) {}
    __device__ __forceinline__ double finish() { return sum_lanes(sum); }
};

/* The score, and the sum of 1 - contrast * structure. */
template <>
struct Account<STRUCTURE> : Account<SCORE> {
    Sum structure;

    using Account<SCORE>::Account;
    __device__ __forceinline__ void add_structure(const Window (&window)[LANE_PX], float twice_c2)
    {
        float e[LANE_PX];
#pragma unroll
        for (int j = 0; j < LANE_PX; j++) {
            const Window &w = window[j];
            e[j] = __fdividef(2.0f * w.var_d, w.var_s + w.var_d + twice_c2);
        }
        structure.add((e[0] + e[1]) + (e[2] + e[3]));
    }
    __device__ __forceinline__ double finish_structure() { return sum_lanes(structure); }
};

/* A lane's features, in shared memory because registers are scarce. Every other column of the lane
 * counts, from the first on, and every other row. */
struct Features {
    float4 sum; /* DIFFERENCE, TEXTURE, BRIGHT, DARK; the third is minus the maximum */

    /* The features of part 0 or 1, the lane's two cells. */
    static __device__ __forceinline__ Features &of(int part)
    {
        __shared__ Features parts[2][LANES * BLOCK_WARPS];
        return parts[part][threadIdx.x];
    }
    static __device__ __forceinline__ void clear() { of(0).sum = of(1).sum = {0, 0, -0.0f, 0}; }

    /* Adds a window whose row counts for DIFFERENCE, or for TEXTURE. Maxima are of var(d) with the
     * sign of mean(d), as on the tensor cores (features.cuh). */
    __device__ __forceinline__ void add(const Window &w, bool is_difference)
    {
        const unsigned sign = __float_as_uint(w.mean_d) & 0x80000000u;
        const unsigned own = __float_as_uint(fmaxf(w.var_d, 0)) ^ sign;
        if (is_difference)
            sum.x += fabsf(w.mean_d);
        else
            sum.y += w.var_s + w.var_d;
        sum.z = __uint_as_float(max(__float_as_uint(sum.z), own));
        sum.w = __int_as_float(max(__float_as_int(sum.w), (int)own));
    }
    /* Adds the windows of a row. The first `left` windows lie in the first cell. */
    static __device__ __forceinline__ void add_row(const Window (&window)[LANE_PX], int left,
                                                   bool is_difference)
    {
        Features first = of(0);
        first.add(window[0], is_difference);
        if (left > 2) first.add(window[2], is_difference);
        of(0) = first;
        if (left <= 2) of(1).add(window[2], is_difference);
    }
    /* Writes the features of a cell. `part` is 0 or 1, the lane's part of the cell, or -1 if it has
     * none. */
    static __device__ __forceinline__ void write(int part, double *cell)
    {
        const Features own = part >= 0 ? of(part) : Features{{0, 0, -0.0f, 0}};
        const float all[] = {sum_lanes(own.sum.x), sum_lanes(own.sum.y), most_of_lanes(-own.sum.z),
                             most_of_lanes(own.sum.w)};
#pragma unroll
        for (int f = 0; f < SSIMCU_TILE_FEATURES; f++)
            if (threadIdx.x % LANES == 0) cell[f * PARTS] = (double)all[f];
    }
};

template <bool ALL>
struct TilesAccount {
    static constexpr int NUMBERS = ALL ? SSIMCU_TILE_ALL_NUMBERS : SSIMCU_TILE_NUMBERS;
    Sum sum[2];
    float shift[2] = {0, 0};
    double *cells, total = 0; /* cells of the row of the grid, and the sum of the rows before */
    int end;                  /* end of that row, counted from the strip's first */
    int y0;                   /* the strip's first row */
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
        y0 = strip.y0;
    }
    __device__ __forceinline__ void add(int row, const float (&e)[LANE_PX],
                                        const Window (&w)[LANE_PX])
    {
        float own = e[0], other = 0, own_shift = w[0].mean_d, other_shift = 0;
#pragma unroll
        for (int j = 1; j < LANE_PX; j++) {
            own += j < left ? e[j] : 0;
            other += j < left ? 0 : e[j];
            own_shift += j < left ? w[j].mean_d : 0;
            other_shift += j < left ? 0 : w[j].mean_d;
        }
        const int own_row = y0 + row; /* of the frame's grid of windows */
        if (ALL && own_row % 2 == 0)
            Features::add_row(w, left, own_row % SSIMCU_TILE_SUM_ROWS == 0);
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

} // namespace ssimcu::fma
