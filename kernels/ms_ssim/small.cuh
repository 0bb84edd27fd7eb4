/* The MS-SSIM scales that are too small for the tensor cores: sums of 1 - contrast * structure, and
 * of 1 - SSIM at the last scale. All scales of one type share a launch.
 *
 * DATA FLOW. A block makes the windows of a tile, 32 columns x 20 rows. A thread reads 14 samples
 * of a row of both frames, and makes the horizontal sums of four neighbours in shared memory. Then
 * a thread reads 15 of these down a column, which give the moments of five windows. So a block is
 * done after 6 us, and nine fit on an SM, which keeps the end of a pair short. 480 x 270 and 240 x
 * 135 of three channels take 8.6 us on an H100. Strips of ssim_fma.cu took 21 and 16, because each
 * is long and holds half an SM's registers.
 *
 * ROUNDING. A variance is that within rows, plus that of the rows' means:
 *
 *     var = sum g (var of row + (mean of row - mean)^2)
 *
 * Both parts are measured from an origin under all windows of the thread: a sample, and a row's
 * mean. So a variance has a relative error of some 1e-6, and no origin moves. Two levels that round
 * alike in all windows put 4e-8 into the mean of a scale. MS-SSIM takes a root of that mean, which
 * may be 0.001 if there are few windows. MS-SSIM of 163 x 175 was off by 8e-6. So such scales are
 * computed in double, as in the SSIM stage.
 */
#pragma once

#include "core/launch.cuh"
#include "ms_ssim/pyramid.cuh"

namespace ssimcu::ms::small
{

constexpr int GROUP = 4;                 /* neighbours whose horizontal sums a thread makes */
constexpr int GROUP_TAPS = GROUP + OPEN; /* samples under them */
constexpr int GROUP_MIDDLE = GROUP_TAPS / 2 - 1, VECTORS = 4;
constexpr int PART = 5; /* windows of a column that a thread makes */
constexpr int PART_TAPS = PART + OPEN, PART_MIDDLE = PART_TAPS / 2;
constexpr int TILE_COLS = LANES, GROUPS = TILE_COLS / GROUP;
constexpr int WARPS = 4, THREADS = WARPS * LANES, TILE_ROWS = WARPS * PART;
constexpr int READ_ROWS = TILE_ROWS + OPEN;

template <typename Real>
__device__ constexpr Real G[TAPS] = SSIMCU_GAUSSIAN;

/* A scale and its split. Pair by pair, the planes of REF come before those of OUT. */
struct Windows {
    const float *planes;
    int64_t pitch, plane; /* samples */
    int width, height;    /* windows of a plane */
    int across, tiles;    /* tiles of a plane */
    int blocks;
    bool structure; /* 1 - contrast * structure is wanted, not 1 - SSIM */
    double *lost;   /* one sum per block */
};

struct Task {
    Windows of[LOWER];
    int count, blocks, channels;
    double twice_c1, twice_c2;
};

/* Horizontal sums: the means of s and d in a row, and their variances. */
template <typename Real>
using Sums = Real[MOMENTS][READ_ROWS][TILE_COLS];

/* The horizontal sums of four neighbours, stored as one. */
template <typename Real>
struct alignas(16) Group {
    Real of[GROUP];
};

/* Reads a thread's samples of a row. A vector begins at `most` at the latest. Samples read there
 * instead are under no window. */
__device__ __forceinline__ void read_row(const float *from, int most, float (&to)[GROUP * VECTORS])
{
#pragma unroll
    for (int i = 0; i < VECTORS; i++) {
        const int at = i < VECTORS - 1 ? GROUP * i : min(GROUP * i, most);
        *reinterpret_cast<float4 *>(&to[GROUP * i]) = *reinterpret_cast<const float4 *>(from + at);
    }
}

/* Makes the sums of four neighbours in a row. */
template <typename Real>
__device__ __forceinline__ void sum_across(const float (&x)[GROUP * VECTORS],
                                           const float (&y)[GROUP * VECTORS],
                                           Group<Real> (&h)[MOMENTS])
{
    const Real from_x = x[GROUP_MIDDLE], from_y = y[GROUP_MIDDLE];
#pragma unroll
    for (int i = 0; i < GROUP_TAPS; i++) {
        const Real a = x[i] - from_x, b = y[i] - from_y, s = a + b, d = a - b;
        const Real value[MOMENTS] = {s, d, s * s, d * d};
#pragma unroll
        for (int j = 0; j < GROUP; j++) {
            const int tap = i - j;
            if (tap < 0 || tap >= TAPS) continue;
#pragma unroll
            for (int m = 0; m < MOMENTS; m++)
                h[m].of[j] =
                    tap == 0 ? G<Real>[0] * value[m] : fma(G<Real>[tap], value[m], h[m].of[j]);
        }
    }
#pragma unroll
    for (int j = 0; j < GROUP; j++) {
        h[SS].of[j] = fma(-h[S].of[j], h[S].of[j], h[SS].of[j]);
        h[DD].of[j] = fma(-h[D].of[j], h[D].of[j], h[DD].of[j]);
        h[S].of[j] += from_x + from_y;
        h[D].of[j] += from_x - from_y;
    }
}

/* Makes the horizontal sums of a tile that begins at window x0, y0. */
template <typename Real>
__device__ __forceinline__ void sum_rows(const Windows &scale, const float *ref, const float *out,
                                         int x0, int y0, Sums<Real> &sums)
{
    for (int i = threadIdx.x; i < READ_ROWS * GROUPS; i += THREADS) {
        const int row = i / GROUPS, column = i % GROUPS * GROUP, x = x0 + column;
        if (x >= scale.width || y0 + row >= scale.height + OPEN) continue;
        const int64_t at = (y0 + row) * scale.pitch + x;
        const int most = (int)scale.pitch - GROUP - x;
        __align__(16) float a[GROUP * VECTORS], b[GROUP * VECTORS];
        Group<Real> h[MOMENTS];
        read_row(ref + at, most, a);
        read_row(out + at, most, b);
        sum_across(a, b, h);
#pragma unroll
        for (int m = 0; m < MOMENTS; m++)
            *reinterpret_cast<Group<Real> *>(&sums[m][row][column]) = h[m];
    }
}

__device__ __forceinline__ float quotient(float a, float b) { return __fdividef(a, b); }
__device__ __forceinline__ double quotient(double a, double b) { return a / b; }

/* Returns the loss of a window. */
template <typename Real>
__device__ __forceinline__ Real lost_by(const Task &task, bool structure, Real mean_s, Real mean_d,
                                        Real var_s, Real var_d)
{
    const Real b = var_s + (Real)task.twice_c2, spread = b + var_d;
    if (structure) return quotient(2 * var_d, spread);
    const Real a = fma(mean_s, mean_s, (Real)task.twice_c1), dd = mean_d * mean_d;
    return quotient(2 * fma(a, var_d, b * dd), (a + dd) * spread);
}

/* Returns the loss of a thread's windows: the first `rows` of those that begin at `top`. */
template <typename Real>
__device__ __forceinline__ Real sum_down(const Task &task, bool structure, const Sums<Real> &sums,
                                         int column, int top, int rows)
{
    const Real origin[2] = {sums[S][top + PART_MIDDLE][column], sums[D][top + PART_MIDDLE][column]};
    Real mean[PART][2], power[PART][2], lost = 0;
#pragma unroll
    for (int i = 0; i < PART_TAPS; i++)
#pragma unroll
        for (int q = S; q <= D; q++) {
            const Real value = sums[S + q][top + i][column] - origin[q];
            const Real square = fma(value, value, sums[SS + q][top + i][column]);
#pragma unroll
            for (int j = 0; j < PART; j++) {
                const int tap = i - j;
                if (tap < 0 || tap >= TAPS) continue;
                const Real g = G<Real>[tap];
                mean[j][q] = tap == 0 ? g * value : fma(g, value, mean[j][q]);
                power[j][q] = tap == 0 ? g * square : fma(g, square, power[j][q]);
            }
        }
#pragma unroll
    for (int j = 0; j < PART; j++) {
        const Real e = lost_by(task, structure, origin[S] + mean[j][S], origin[D] + mean[j][D],
                               fma(-mean[j][S], mean[j][S], power[j][S]),
                               fma(-mean[j][D], mean[j][D], power[j][D]));
        lost += j < rows ? e : 0;
    }
    return lost;
}

/* The fewest blocks that must fit on an SM. Floats take 56 registers a thread. */
template <typename Real>
constexpr int SM_BLOCKS = sizeof(Real) == sizeof(float) ? 6 : 4;

/* A block makes a tile. */
template <typename Real>
__global__ void __launch_bounds__(THREADS, SM_BLOCKS<Real>)
    small_kernel(const __grid_constant__ Task task)
{
    __shared__ __align__(16) Sums<Real> sums;
    __shared__ double of_warp[WARPS];
    let_next_kernel_start();
    int block = blockIdx.x, s = 0;
    while (block >= task.of[s].blocks) block -= task.of[s++].blocks;
    const Windows &scale = task.of[s];
    const int plane = block / scale.tiles, tile = block % scale.tiles;
    const int x0 = tile % scale.across * TILE_COLS, y0 = tile / scale.across * TILE_ROWS;
    const int frame = plane / task.channels, channel = plane % task.channels;
    const float *const ref =
        scale.planes + (int64_t)(frame * IMAGES * task.channels + channel) * scale.plane;
    sum_rows<Real>(scale, ref, ref + task.channels * scale.plane, x0, y0, sums);
    __syncthreads();
    const int column = threadIdx.x % LANES, warp = threadIdx.x / LANES, top = warp * PART;
    const int rows = x0 + column < scale.width ? scale.height - y0 - top : 0;
    const Real lost = sum_down<Real>(task, scale.structure, sums, column, top, rows);
    const double own = sum_lanes((double)lost);
    if (column == 0) of_warp[warp] = own;
    __syncthreads();
    if (threadIdx.x == 0) scale.lost[block] = (of_warp[0] + of_warp[1]) + (of_warp[2] + of_warp[3]);
    end_behind_kernel_before();
}

} // namespace ssimcu::ms::small
