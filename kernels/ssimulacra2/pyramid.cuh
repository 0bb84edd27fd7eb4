/* Frames -> planes of s and d of the scales from 1 on.
 *
 * DATA FLOW. A block reads 64 x 32 pixels of both frames, which become 2 x 1 pixels of the last
 * scale. A thread has a quad of two rows. Linear light of a scale lies in shared memory for the
 * next. An odd last row or column is repeated, in each scale anew. */
#ifndef SSIMCU_SSIMULACRA2_PYRAMID_CUH
#define SSIMCU_SSIMULACRA2_PYRAMID_CUH

#include "ssimulacra2/quads.cuh"

namespace ssimcu::s2
{

constexpr int TILE_COLS = 64, TILE_ROWS = 32, IMAGES = 2;
constexpr int HALF_COLS = TILE_COLS / 2, HALF_ROWS = TILE_ROWS / 2;

/* Linear light of a block at one scale: image, channel, row, column. */
using Light = float[IMAGES * CHANNELS][HALF_ROWS][HALF_COLS];

struct Pyramid {
    Light light[2]; /* of the scale, and of the one before */
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

/* Halves two rows of a quad: two pixels of each of three channels. */
template <class Samples>
__device__ __forceinline__ void halve_quad(const Frames &frames, const char *frame,
                                           const float *curve, int x, int y,
                                           float (&half)[2][CHANNELS])
{
    typename Samples::Raw row[2];
#pragma unroll
    for (int i = 0; i < 2; i++)
        Samples::load(frames, frame + (int64_t)min(y + i, frames.height - 1) * frames.pitch, x,
                      row[i]);
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int c = 0; c < CHANNELS; c++)
            half[i][c] = 0.25f * (Samples::linear(row[0], curve, frames.to_unit, 2 * i, c) +
                                  Samples::linear(row[0], curve, frames.to_unit, 2 * i + 1, c) +
                                  Samples::linear(row[1], curve, frames.to_unit, 2 * i, c) +
                                  Samples::linear(row[1], curve, frames.to_unit, 2 * i + 1, c));
}

/* Makes scale 0 of a thread's pixels. */
template <class Samples>
__device__ void make_scale0(const Frames &frames, const char *ref, const char *out,
                            const ssimcu_s2_scale &scale, float *planes, int x, int y,
                            const float *curve)
{
    for (int row = y; row < min(y + 2, frames.height); row++) {
        typename Samples::Raw of_ref, of_out;
        Samples::load(frames, ref + row * frames.pitch, x, of_ref);
        Samples::load(frames, out + row * frames.pitch, x, of_out);
#pragma unroll
        for (int i = 0; i < QUAD; i++)
            if (x + i < frames.width)
                store_pixel(planes, scale, x + i, row,
                            pixel_of(Samples::roots(of_ref, curve, frames.to_unit, i),
                                     Samples::roots(of_out, curve, frames.to_unit, i)));
    }
}

/* Makes scale 1 of a block's pixels, and scale 0 if it has planes. */
template <class Samples>
__device__ __forceinline__ void halve_frame(const Frames &frames, const char *ref, const char *out,
                                            const ssimcu_s2_scales &scales, float *planes, int x0,
                                            int y0, Pyramid &pyramid)
{
    const ssimcu_s2_scale &scale = scales.of[1];
    const int column = threadIdx.x % (TILE_COLS / QUAD), row = threadIdx.x / (TILE_COLS / QUAD);
    const int x = x0 + QUAD * column, y = y0 + 2 * row;
    if (x >= frames.width || y >= frames.height) return;
    if (scales.of[0].plane > 0)
        make_scale0<Samples>(frames, ref, out, scales.of[0], planes, x, y, pyramid.curve);
    float light[IMAGES][2][CHANNELS];
    halve_quad<Samples>(frames, ref, pyramid.curve, x, y, light[0]);
    halve_quad<Samples>(frames, out, pyramid.curve, x, y, light[1]);
    float s[CHANNELS][2], d[CHANNELS][2];
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const Pixel pixel = pixel_of(roots_of(light[0][i][0], light[0][i][1], light[0][i][2]),
                                     roots_of(light[1][i][0], light[1][i][1], light[1][i][2]));
#pragma unroll
        for (int c = 0; c < CHANNELS; c++) s[c][i] = pixel.s[c], d[c][i] = pixel.d[c];
    }
    float *to = planes + scale.planes_at + y / 2 * scale.pitch + x / 2; /* rows have pairs */
#pragma unroll
    for (int c = 0; c < CHANNELS; c++) {
        *reinterpret_cast<float2 *>(to + c * scale.plane) = make_float2(s[c][0], s[c][1]);
        *reinterpret_cast<float2 *>(to + (CHANNELS + c) * scale.plane) =
            make_float2(d[c][0], d[c][1]);
#pragma unroll
        for (int image = 0; image < IMAGES; image++)
            *reinterpret_cast<float2 *>(&pyramid.light[0][image * CHANNELS + c][row][2 * column]) =
                make_float2(light[image][0][c], light[image][1][c]);
    }
}

/* Makes a pixel of a scale from the one before. */
__device__ __forceinline__ void halve_pixel(const Light &from, Light &to, int column, int row,
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

/* A block of THREADS makes all scales of its pixels. */
template <class Samples>
__device__ __forceinline__ void make_pyramid(const Frames &frames, const ssimcu_s2_scales &scales,
                                             const char *ref, const char *out, float *planes,
                                             int block, int across, Pyramid &pyramid)
{
    if constexpr (Samples::TABLE) {
        fill_curve(pyramid.curve, frames.to_unit);
        __syncthreads();
    }
    int x0 = block % across * TILE_COLS, y0 = block / across * TILE_ROWS;
    halve_frame<Samples>(frames, ref, out, scales, planes, x0, y0, pyramid);
    int columns = HALF_COLS, rows = HALF_ROWS;
    x0 /= 2, y0 /= 2;
#pragma unroll 1
    for (int i = 2; i < scales.count; i++) {
        const ssimcu_s2_scale &before = scales.of[i - 1], &scale = scales.of[i];
        const int most_column = before.width - 1 - x0, most_row = before.height - 1 - y0;
        columns /= 2, rows /= 2, x0 /= 2, y0 /= 2;
        const int column = threadIdx.x % columns, row = threadIdx.x / columns;
        __syncthreads();
        if (row >= rows || x0 + column >= scale.width || y0 + row >= scale.height) continue;
        float v[IMAGES * CHANNELS];
        halve_pixel(pyramid.light[i % 2], pyramid.light[(i + 1) % 2], column, row, most_column,
                    most_row, v);
        store_pixel(planes, scale, x0 + column, y0 + row,
                    pixel_of(roots_of(v[0], v[1], v[2]), roots_of(v[3], v[4], v[5])));
    }
}

} // namespace ssimcu::s2

#endif
