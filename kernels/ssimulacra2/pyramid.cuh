/* Both frames -> planes of s and d of the scales from 1 on. Scale 0 has planes, too, if the frame
 * has no strips.
 *
 * DATA FLOW. A block reads 64 x 32 pixels of both frames, which five scales halve to 2 x 1. A
 * thread has four pixels of two rows. The linear light of a scale lies in shared memory for the
 * next scale. An odd last row or column is repeated in every scale. */
#pragma once

#include "ssimulacra2/quads.cuh"

namespace ssimcu::s2
{

constexpr int TILE_COLS = 64, TILE_ROWS = 32;
constexpr int LOG_HALF_COLS = 5, HALF_COLS = 1 << LOG_HALF_COLS, HALF_ROWS = TILE_ROWS / 2;
static_assert(TILE_COLS == 2 * HALF_COLS && HALF_COLS * HALF_ROWS == 16 * LANES,
              "one warp has scale 3 of a block");

/* Linear light of a block at one scale: image, channel, row, column. */
using Halved = float[IMAGES * CHANNELS][HALF_ROWS][HALF_COLS];

struct Pyramid {
    Halved light[2]; /* of the scale, and of the one before */
    float curve[CODES];
};

__device__ __forceinline__ void store_pixel(float *planes, const ssimcu_s2_scale &scale, int x,
                                            int y, const Pixel &pixel)
{
    float *to = planes + scale.planes_at + y * scale.pitch + x;
#pragma unroll
    for (int c = 0; c < CHANNELS; c++) {
        to[c * scale.plane] = pixel.s[c];
        to[(CHANNELS + c) * scale.plane] = pixel.d[c];
    }
}

/* Four pixels in each of two rows of both frames. */
template <class Samples>
struct Block {
    typename Samples::Raw row[2][IMAGES];
};

template <class Samples>
__device__ __forceinline__ void load_block(const Frames &frames, const char *ref, const char *out,
                                           int x, int y, Block<Samples> &block)
{
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const int64_t row = min(y + i, frames.height - 1) * frames.pitch;
        Samples::load(frames, ref + row, x, block.row[i][0]);
        Samples::load(frames, out + row, x, block.row[i][1]);
    }
}

/* Makes s and d of a row of pixels at full size. Rows of planes have room for whole quads. */
template <class Samples>
__device__ __forceinline__ void
convert_row(const typename Samples::Raw (&raw)[IMAGES], const Frames &frames, const float *curve,
            const ssimcu_s2_scale &scale, float *planes, int x, int y)
{
    Pixel pixel[QUAD];
#pragma unroll
    for (int i = 0; i < QUAD; i++)
        pixel[i] = pixel_of(Samples::roots(raw[0], curve, frames.to_unit, i),
                            Samples::roots(raw[1], curve, frames.to_unit, i));
    float *to = planes + scale.planes_at + y * scale.pitch + x;
#pragma unroll
    for (int c = 0; c < CHANNELS; c++) {
        *reinterpret_cast<float4 *>(to + c * scale.plane) =
            make_float4(pixel[0].s[c], pixel[1].s[c], pixel[2].s[c], pixel[3].s[c]);
        *reinterpret_cast<float4 *>(to + (CHANNELS + c) * scale.plane) =
            make_float4(pixel[0].d[c], pixel[1].d[c], pixel[2].d[c], pixel[3].d[c]);
    }
}

/* Halves a thread's pixels into two of scale 1. Rows of planes have room for both. */
template <class Samples>
__device__ __forceinline__ void halve_block(const Block<Samples> &block, const Frames &frames,
                                            const ssimcu_s2_scale &scale, float *planes, int x,
                                            int y, int column, int row, Pyramid &pyramid)
{
    Pixel pixel[2];
#pragma unroll
    for (int half = 0; half < 2; half++) {
        float light[IMAGES][CHANNELS];
#pragma unroll
        for (int image = 0; image < IMAGES; image++)
#pragma unroll
            for (int c = 0; c < CHANNELS; c++) {
                float sum = 0;
#pragma unroll
                for (int k = 0; k < 4; k++)
                    sum += Samples::linear(block.row[k / 2][image], pyramid.curve, frames.to_unit,
                                           2 * half + k % 2, c);
                light[image][c] = 0.25f * sum;
                pyramid.light[0][image * CHANNELS + c][row][2 * column + half] = light[image][c];
            }
        pixel[half] = pixel_of(roots_of<!Samples::TABLE>(light[0][0], light[0][1], light[0][2]),
                               roots_of<!Samples::TABLE>(light[1][0], light[1][1], light[1][2]));
    }
    float *to = planes + scale.planes_at + y / 2 * scale.pitch + x / 2;
#pragma unroll
    for (int c = 0; c < CHANNELS; c++) {
        *reinterpret_cast<float2 *>(to + c * scale.plane) =
            make_float2(pixel[0].s[c], pixel[1].s[c]);
        *reinterpret_cast<float2 *>(to + (CHANNELS + c) * scale.plane) =
            make_float2(pixel[0].d[c], pixel[1].d[c]);
    }
}

/* Makes a pixel of a scale from the one before. */
__device__ __forceinline__ void halve_pixel(const Halved &from, Halved &to, int column, int row,
                                            int most_column, int most_row, float (&v)[6])
{
    const int x = min(2 * column + 1, most_column), y = min(2 * row + 1, most_row);
#pragma unroll
    for (int p = 0; p < IMAGES * CHANNELS; p++) {
        v[p] = 0.25f * (from[p][2 * row][2 * column] + from[p][2 * row][x] +
                        from[p][y][2 * column] + from[p][y][x]);
        to[p][row][column] = v[p];
    }
}

/* Makes the scales from 2 on. From scale 3 on, only the first warp works. */
template <bool PRECISE>
__device__ __forceinline__ void make_small_scales(const ssimcu_s2_cuts &scales, float *planes,
                                                  int x0, int y0, Pyramid &pyramid)
{
    int log_columns = LOG_HALF_COLS, rows = HALF_ROWS, from = 0;
#pragma unroll 1
    for (int i = 2; i < scales.count; i++, from ^= 1) {
        const ssimcu_s2_scale &before = scales.of[i - 1], &scale = scales.of[i];
        const int most_column = before.width - 1 - x0, most_row = before.height - 1 - y0;
        log_columns--, rows /= 2, x0 /= 2, y0 /= 2;
        const int column = threadIdx.x & ((1 << log_columns) - 1), row = threadIdx.x >> log_columns;
        if (i < 4)
            __syncthreads();
        else
            __syncwarp();
        if (i >= 3 && threadIdx.x >= LANES) return;
        if (row >= rows || x0 + column >= scale.width || y0 + row >= scale.height) continue;
        float v[IMAGES * CHANNELS];
        halve_pixel(pyramid.light[from], pyramid.light[from ^ 1], column, row, most_column,
                    most_row, v);
        store_pixel(
            planes, scale, x0 + column, y0 + row,
            pixel_of(roots_of<PRECISE>(v[0], v[1], v[2]), roots_of<PRECISE>(v[3], v[4], v[5])));
    }
}

/* A block of 256 threads makes the scales of its pixels. It makes scale 0 only if that has
 * planes. */
template <class Samples>
__device__ __forceinline__ void make_pyramid(const Frames &frames, const ssimcu_s2_cuts &scales,
                                             const char *ref, const char *out, float *planes,
                                             int index, int across, Pyramid &pyramid)
{
    if constexpr (Samples::TABLE) {
        fill_curve(pyramid.curve, frames.to_unit);
        __syncthreads();
    }
    int x0 = index % across * TILE_COLS, y0 = index / across * TILE_ROWS;
    const int quad = threadIdx.x % (TILE_COLS / QUAD), pair = threadIdx.x / (TILE_COLS / QUAD);
    const int x = x0 + QUAD * quad, y = y0 + 2 * pair;
    if (x < frames.width && y < frames.height) {
        Block<Samples> block;
        load_block<Samples>(frames, ref, out, x, y, block);
#pragma unroll
        for (int i = 0; i < 2; i++)
            if (scales.strips == 0 && y + i < frames.height)
                convert_row<Samples>(block.row[i], frames, pyramid.curve, scales.of[0], planes, x,
                                     y + i);
        halve_block<Samples>(block, frames, scales.of[1], planes, x, y, quad, pair, pyramid);
    }
    make_small_scales<!Samples::TABLE>(scales, planes, x0 / 2, y0 / 2, pyramid);
}

} // namespace ssimcu::s2
