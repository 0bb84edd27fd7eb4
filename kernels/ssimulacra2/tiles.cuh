/* The small scales, and all scales of small frames, in float.
 *
 * DATA FLOW. Half a block of 256 threads, four warps, takes a tile of 32 x 24 pixels of one
 * channel. It stores s and d of the tile and of four pixels around it in shared memory. Then it
 * stores the horizontal sums of their four moments. Then each thread makes six windows of a column.
 *
 * ROUNDING. These scales are a sixteenth of the pixels and most of the score. Their variances must
 * be accurate even if a frame differs from its reference by a constant. So s and d are measured
 * from those of the tile's middle. If a tile is flat, its variances are exactly 0. */
#pragma once

#include "ssimulacra2/strips.cuh"

namespace ssimcu::s2
{

constexpr int SMALL_COLS = SSIMCU_S2_TILE_COLS, SMALL_ROWS = SSIMCU_S2_TILE_ROWS;
constexpr int SMALL_THREADS = THREADS / 2, SMALL_WARPS = SMALL_THREADS / LANES;
constexpr int HALO_COLS = SMALL_COLS + 2 * REACH, HALO_ROWS = SMALL_ROWS + 2 * REACH;
constexpr int HALO_PITCH = HALO_COLS + 4; /* a multiple of 4, but not of 8 */
constexpr int THREAD_ROWS = SMALL_ROWS / SMALL_WARPS, MOMENTS = 4;
static_assert(SMALL_COLS == LANES, "a lane has a column");

constexpr double HALF_TAPS[] = SSIMCU_S2_TAPS;
__device__ constexpr float TAP[TAPS] = {
    (float)HALF_TAPS[0], (float)HALF_TAPS[1], (float)HALF_TAPS[2],
    (float)HALF_TAPS[3], (float)HALF_TAPS[4], (float)HALF_TAPS[3],
    (float)HALF_TAPS[2], (float)HALF_TAPS[1], (float)HALF_TAPS[0]};

struct Small {
    float s[HALO_ROWS][HALO_PITCH], d[HALO_ROWS][HALO_PITCH];
    float across[MOMENTS][HALO_ROWS][SMALL_COLS];
};

/* A tile of one channel. */
struct Tile {
    const float *s, *d; /* planes */
    int64_t pitch;
    int width, height, x0, y0;
    float from_s, from_d; /* origins */
    float outside_s;
};

__device__ __forceinline__ void load_tile(const Tile &tile, Small &small, int thread)
{
    for (int i = thread; i < HALO_ROWS * HALO_COLS; i += SMALL_THREADS) {
        const int row = i / HALO_COLS, column = i % HALO_COLS;
        const int x = tile.x0 + column - REACH, y = tile.y0 + row - REACH;
        const bool inside = x >= 0 && x < tile.width && y >= 0 && y < tile.height;
        const int64_t at = y * tile.pitch + x;
        small.s[row][column] = (inside ? tile.s[at] : tile.outside_s) - tile.from_s;
        small.d[row][column] = (inside ? tile.d[at] : 0) - tile.from_d;
    }
}

/* Four neighbouring horizontal sums, of values and of their squares. */
__device__ __forceinline__ void sum_across(const float *row, float *mean, float *square)
{
    float v[QUAD + 2 * REACH];
#pragma unroll
    for (int i = 0; i < 3; i++) {
        const float4 four = reinterpret_cast<const float4 *>(row)[i];
        v[4 * i] = four.x, v[4 * i + 1] = four.y, v[4 * i + 2] = four.z, v[4 * i + 3] = four.w;
    }
#pragma unroll
    for (int moment = 0; moment < 2; moment++) {
        float sum[QUAD] = {};
#pragma unroll
        for (int i = 0; i < QUAD; i++)
#pragma unroll
            for (int k = 0; k < TAPS; k++) sum[i] = fmaf(TAP[k], v[i + k], sum[i]);
        *reinterpret_cast<float4 *>(moment ? square : mean) =
            make_float4(sum[0], sum[1], sum[2], sum[3]);
#pragma unroll
        for (int i = 0; i < QUAD + 2 * REACH; i++) v[i] *= v[i];
    }
}

__device__ __forceinline__ void filter_rows(Small &small, int thread)
{
    constexpr int QUADS = SMALL_COLS / QUAD;
#pragma unroll 1
    for (int i = thread; i < HALO_ROWS * QUADS; i += SMALL_THREADS) {
        const int row = i / QUADS, at = QUAD * (i % QUADS);
        sum_across(&small.s[row][at], &small.across[0][row][at], &small.across[2][row][at]);
        sum_across(&small.d[row][at], &small.across[1][row][at], &small.across[3][row][at]);
    }
}

__device__ __forceinline__ void filter_columns(const Tile &tile, const Small &small, int thread,
                                               float (&sum)[SUMS])
{
    const int column = thread % LANES, top = thread / LANES * THREAD_ROWS;
    float mean[MOMENTS][THREAD_ROWS] = {};
#pragma unroll
    for (int m = 0; m < MOMENTS; m++)
#pragma unroll
        for (int k = 0; k < THREAD_ROWS + 2 * REACH; k++) {
            const float v = small.across[m][top + k][column];
#pragma unroll
            for (int i = 0; i < THREAD_ROWS; i++)
                if (k >= i && k - i < TAPS) mean[m][i] = fmaf(TAP[k - i], v, mean[m][i]);
        }
#pragma unroll
    for (int i = 0; i < THREAD_ROWS; i++) {
        const float ms = mean[0][i], md = mean[1][i];
        const int row = top + i;
        add_pixel(sum, tile.x0 + column < tile.width && tile.y0 + row < tile.height,
                  md + tile.from_d, fmaf(-ms, ms, mean[2][i]), fmaf(-md, md, mean[3][i]), HALF_C2,
                  small.s[row + REACH][column + REACH] - ms,
                  small.d[row + REACH][column + REACH] - md);
    }
}

/* Adds up a tile of all channels with half a block. The other half has another tile. */
__device__ __forceinline__ void measure_tile(const ssimcu_s2_scale &scale, const float *planes,
                                             int index, Small &small, float (&sum)[CHANNELS][SUMS])
{
    const int thread = threadIdx.x % SMALL_THREADS;
    const Pixel around = outside();
    Tile tile;
    tile.pitch = scale.pitch, tile.width = scale.width, tile.height = scale.height;
    tile.x0 = index % scale.across * SMALL_COLS;
    tile.y0 = index / scale.across * SMALL_ROWS;
    const int64_t middle = min(tile.y0 + SMALL_ROWS / 2, tile.height - 1) * tile.pitch +
                           min(tile.x0 + SMALL_COLS / 2, tile.width - 1);
#pragma unroll
    for (int c = 0; c < CHANNELS; c++) {
        tile.s = planes + scale.planes_at + c * scale.plane;
        tile.d = tile.s + CHANNELS * scale.plane;
        tile.from_s = tile.s[middle], tile.from_d = tile.d[middle];
        tile.outside_s = around.s[c];
        load_tile(tile, small, thread);
        __syncthreads();
        filter_rows(small, thread);
        __syncthreads();
        filter_columns(tile, small, thread, sum[c]);
        __syncthreads();
    }
}

} // namespace ssimcu::s2
