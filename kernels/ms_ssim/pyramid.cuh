/* Samples as they lie -> planes of the scales of MS-SSIM below the first. Each is half of the one
 * before: the means of 2 x 2 samples. An odd last row or column is repeated.
 *
 * A plane has floats in plane units. Integers that the tensor cores score stay integers while 16
 * bits hold the sums of their samples. This is exact, half as much to write, and SSIM of 10 bits
 * takes half the time of floats.
 *
 * DATA FLOW. A block makes all scales of 128 x 32 pixels of one frame, so that samples are read
 * once. A thread reads 8 pixels of two rows. Shared memory holds a scale for the next.
 */
#ifndef SSIMCU_MS_SSIM_PYRAMID_CUH
#define SSIMCU_MS_SSIM_PYRAMID_CUH

#include "core/values.cuh"
#include "kernels.h"

#include <type_traits>

namespace ssimcu::ms
{

constexpr int COLS = 64, ROWS = 16; /* of a block in the second scale */
constexpr int QUADS = 4;            /* neighbours in the second scale that a thread makes */
constexpr int THREADS = COLS / QUADS * ROWS, LOWER = SSIMCU_MS_SCALES - 1, IMAGES = 2;

/* A scale below the first. Planes are those of REF, then those of OUT, pair by pair. */
struct Scale {
    int width, height;
    int64_t pitch, plane; /* samples */
    float to_word;        /* factor from plane units to words; 0: planes are of floats */
    void *planes;
};

struct Scales {
    Scale of[LOWER];
};

using Halved = float[SSIMCU_MAX_CHANNELS][ROWS][COLS];

/* Returns the sum of 2 x 2 samples. Integers are added up as such. */
template <typename T>
__device__ __forceinline__ float sum_of(T a, T b, T c, T d)
{
    if constexpr (std::is_integral_v<T>)
        return (float)((a + b) + (c + d));
    else
        return (value_of(a) + value_of(b)) + (value_of(c) + value_of(d));
}

/* Reads the pixels of 4 quads in a row, with C channels together. Beyond a side the last row and
 * the last pixel are repeated. */
template <typename T, int C>
__device__ __forceinline__ void read_row(const ssimcu_psnr_task &task, bool dense,
                                         const void *samples, int x, int y, T (&px)[2 * QUADS * C])
{
    const T *const row = reinterpret_cast<const T *>(static_cast<const char *>(samples) +
                                                     min(y, task.height - 1) * task.pitch_bytes);
    if (dense && x + 2 * QUADS <= task.width) {
        const uint2 *const from = reinterpret_cast<const uint2 *>(row + x * C);
#pragma unroll
        for (int i = 0; i < (int)(sizeof px / sizeof(uint2)); i++)
            reinterpret_cast<uint2 *>(px)[i] = __ldg(from + i);
        return;
    }
#pragma unroll
    for (int i = 0; i < 2 * QUADS; i++)
#pragma unroll
        for (int c = 0; c < C; c++)
            px[i * C + c] = row[(int64_t)min(x + i, task.width - 1) * task.step + c];
}

/* Stores 4 neighbours of a plane. Those beyond its width lie within its pitch. */
__device__ __forceinline__ void store(const Scale &scale, int64_t at, const float (&value)[QUADS])
{
    if (!scale.to_word) {
        *reinterpret_cast<float4 *>(static_cast<float *>(scale.planes) + at) =
            make_float4(value[0], value[1], value[2], value[3]);
        return;
    }
    unsigned word[QUADS];
#pragma unroll
    for (int i = 0; i < QUADS; i++) word[i] = __float2uint_rn(value[i] * scale.to_word);
    *reinterpret_cast<uint2 *>(static_cast<uint16_t *>(scale.planes) + at) =
        make_uint2(word[0] | word[1] << 16, word[2] | word[3] << 16);
}

__device__ __forceinline__ void store(const Scale &scale, int64_t at, float value)
{
    if (scale.to_word)
        static_cast<uint16_t *>(scale.planes)[at] =
            (uint16_t)__float2uint_rn(value * scale.to_word);
    else
        static_cast<float *>(scale.planes)[at] = value;
}

/* Makes a thread's part of the second scale, of C channels from `channel` on. */
template <typename T, int C>
__device__ __forceinline__ void make_first(const ssimcu_psnr_task &task, bool dense, float quarter,
                                           const Scale &scale, int channel, int x0, int y0,
                                           int64_t frame_bytes, Halved &halved)
{
    const int column = threadIdx.x % (COLS / QUADS) * QUADS, row = threadIdx.x / (COLS / QUADS);
    const int x = x0 + column, y = y0 + row;
    if (x >= scale.width || y >= scale.height) return;
    const int frame = blockIdx.z / IMAGES;
    const void *const first = blockIdx.z % IMAGES ? task.out[channel] : task.ref[channel];
    const void *const samples = static_cast<const char *>(first) + frame * frame_bytes;
    alignas(uint2) T top[2 * QUADS * C], bottom[2 * QUADS * C];
    read_row<T, C>(task, dense, samples, 2 * x, 2 * y, top);
    read_row<T, C>(task, dense, samples, 2 * x, 2 * y + 1, bottom);
#pragma unroll
    for (int c = 0; c < C; c++) {
        float value[QUADS];
#pragma unroll
        for (int i = 0; i < QUADS; i++) {
            const int left = 2 * i * C + c, right = left + C;
            value[i] = quarter * sum_of(top[left], bottom[left], top[right], bottom[right]);
        }
        const int64_t plane = blockIdx.z * task.channels + channel + c;
        store(scale, plane * scale.plane + y * scale.pitch + x, value);
        *reinterpret_cast<float4 *>(&halved[channel + c][row][column]) =
            make_float4(value[0], value[1], value[2], value[3]);
    }
}

/* Halves a plane of a block. Its first pixel is (x0, y0) in the scale that is made. */
__device__ __forceinline__ float halve(const float (&from)[ROWS][COLS], const Scale &before, int x0,
                                       int y0, int column, int row)
{
    const int x = 2 * column, y = 2 * row;
    const int right = min(x + 1, before.width - 1 - 2 * x0);
    const int below = min(y + 1, before.height - 1 - 2 * y0);
    return 0.25f * ((from[y][x] + from[below][x]) + (from[y][right] + from[below][right]));
}

template <typename T, int C>
__global__ void __launch_bounds__(THREADS)
    pyramid_kernel(const __grid_constant__ ssimcu_psnr_task task, bool dense, float quarter,
                   int64_t frame_bytes, const __grid_constant__ Scales scales)
{
    __shared__ alignas(float4) Halved halved[2];
    const int channels = task.channels;
    int x0 = blockIdx.x * COLS, y0 = blockIdx.y * ROWS;
    for (int c = 0; c < channels; c += C)
        make_first<T, C>(task, dense, quarter, scales.of[0], c, x0, y0, frame_bytes, halved[0]);
#pragma unroll /* so that a place in a scale takes shifts, not divisions */
    for (int s = 1; s < LOWER; s++) {
        const Scale &scale = scales.of[s];
        const int columns = COLS >> s, rows = ROWS >> s;
        x0 /= 2, y0 /= 2;
        __syncthreads();
        for (int i = threadIdx.x; i < columns * rows * channels; i += THREADS) {
            const int column = i % columns, row = i / columns % rows, c = i / (columns * rows);
            const int x = x0 + column, y = y0 + row;
            if (x >= scale.width || y >= scale.height) continue;
            const float value = halve(halved[1 - s % 2][c], scales.of[s - 1], x0, y0, column, row);
            halved[s % 2][c][row][column] = value;
            const int64_t plane = blockIdx.z * channels + c;
            store(scale, plane * scale.plane + y * scale.pitch + x, value);
        }
    }
}

} // namespace ssimcu::ms

#endif
