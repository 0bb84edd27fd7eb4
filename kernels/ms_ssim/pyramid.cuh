/* Samples as stored -> planes of the MS-SSIM scales below the first. Each scale halves the one
 * before, by means of 2 x 2 samples. An odd last row or column is repeated.
 *
 * A plane has floats in plane units. Integers for the tensor cores stay integers while 16 bits hold
 * the sums of their samples. This is exact and writes half as much, and SSIM of 10 bits takes half
 * the time of floats.
 *
 * DATA FLOW. A thread reads 8 x 8 pixels once, and makes its part of the first three scales in
 * registers. The last scale combines the values of 2 x 2 threads by shuffles. So nothing passes
 * through shared memory, and no warp waits for another. A 4K pair of bytes takes 9 million
 * instructions instead of 21, and 27 us instead of 32 on an H100. It reads 50 MB and writes 33 MB;
 * 12 of these reach device memory meanwhile. Samples are read once, so L2 evicts them first
 * (otherwise 16 MB).
 */
#pragma once

#include "core/launch.cuh"
#include "core/values.cuh"
#include "kernels.h"
#include "ssim/ssim.cuh"

#include <type_traits>

namespace ssimcu::ms
{

constexpr int LOWER = SSIMCU_MS_SCALES - 1;
constexpr int QUADS = 4; /* neighbours in the second scale that a thread makes, and rows of them */
constexpr int SIDE = 2 * QUADS;                /* pixels, of a thread */
constexpr int WARP_COLS = 16, WARP_ROWS = 2;   /* threads of a warp, ... */
constexpr int BLOCK_COLS = 32, BLOCK_ROWS = 4; /* ... and of a block */
constexpr int THREADS = BLOCK_COLS * BLOCK_ROWS;
constexpr int SM_BLOCKS = 4; /* leaves each thread enough registers for its loads */
static_assert(LOWER == 4 && WARP_COLS * WARP_ROWS == LANES, "a thread makes three scales");

/* A scale below the first. Pair by pair, the planes of REF come before those of OUT. */
struct Scale {
    int width, height;
    int64_t pitch, plane; /* samples */
    float to_word;        /* factor from plane units to words; 0: planes are of floats */
    void *planes;
};

struct Scales {
    Scale of[LOWER];
};

/* Pixels of a row, with C interleaved channels. */
template <typename T, int C>
struct Row {
    alignas(uint2) T px[SIDE * C];
};

/* The place of a thread. x and y are those of its value in the third scale below the first. */
struct Place {
    const void *samples; /* of channel 0 */
    int64_t plane;       /* index of channel 0 in all planes */
    int x, y;
};

/* Reads a row of a thread's pixels. WHOLE: all pixels lie inside the frame, in words aligned to
 * eight bytes. Otherwise the last row and the last pixel are repeated past the frame. */
template <typename T, int C, bool WHOLE>
__device__ __forceinline__ void read_row(const ssimcu_psnr_task &task, const Place &at, int row,
                                         Row<T, C> &to)
{
    const int x = SIDE * at.x, y = SIDE * at.y + row;
    const T *const from =
        reinterpret_cast<const T *>(static_cast<const char *>(at.samples) +
                                    (WHOLE ? y : min(y, task.height - 1)) * task.pitch_bytes);
    if constexpr (WHOLE) {
        const uint2 *const words = reinterpret_cast<const uint2 *>(from + x * C);
#pragma unroll
        for (int i = 0; i < (int)(sizeof to / sizeof(uint2)); i++)
            reinterpret_cast<uint2 *>(to.px)[i] = __ldcs(words + i);
    } else {
#pragma unroll
        for (int i = 0; i < SIDE; i++)
#pragma unroll
            for (int c = 0; c < C; c++)
                to.px[i * C + c] = from[(int64_t)min(x + i, task.width - 1) * task.step + c];
    }
}

/* Adds two bytes of a row of words. */
__device__ __forceinline__ unsigned add_bytes(const unsigned *word, int left, int right,
                                              unsigned sum)
{
    const unsigned a = 1u << left % 4 * 8, b = 1u << right % 4 * 8;
    return left / 4 == right / 4 ? __dp4a(word[left / 4], a | b, sum)
                                 : __dp4a(word[right / 4], b, __dp4a(word[left / 4], a, sum));
}

/* Returns the sum of 2 x 2 samples. Integers are added up as integers. */
template <typename T, int C, bool WHOLE>
__device__ __forceinline__ float sum_of(const Row<T, C> &top, const Row<T, C> &bottom, int left)
{
    const int right = left + C;
    if constexpr (sizeof(T) == 1 && WHOLE) {
        const unsigned sum = add_bytes(reinterpret_cast<const unsigned *>(top.px), left, right, 0);
        return (float)add_bytes(reinterpret_cast<const unsigned *>(bottom.px), left, right, sum);
    } else if constexpr (std::is_integral_v<T>) {
        return (float)((top.px[left] + bottom.px[left]) + (top.px[right] + bottom.px[right]));
    } else {
        return (value_of(top.px[left]) + value_of(bottom.px[left])) +
               (value_of(top.px[right]) + value_of(bottom.px[right]));
    }
}

/* Stores N neighbours of a plane: 1, 2 or 4. Neighbours past its width still lie within its
 * pitch. */
template <int N>
__device__ __forceinline__ void store(const Scale &scale, int64_t at, const float (&value)[N])
{
    if (!scale.to_word) {
        float *const to = static_cast<float *>(scale.planes) + at;
        if constexpr (N == 4)
            *reinterpret_cast<float4 *>(to) = make_float4(value[0], value[1], value[2], value[3]);
        else if constexpr (N == 2)
            *reinterpret_cast<float2 *>(to) = make_float2(value[0], value[1]);
        else
            *to = value[0];
        return;
    }
    uint16_t *const to = static_cast<uint16_t *>(scale.planes) + at;
    unsigned word[N];
#pragma unroll
    for (int i = 0; i < N; i++) word[i] = __float2uint_rn(value[i] * scale.to_word);
    if constexpr (N == 4)
        *reinterpret_cast<uint2 *>(to) =
            make_uint2(word[0] | word[1] << 16, word[2] | word[3] << 16);
    else if constexpr (N == 2)
        *reinterpret_cast<unsigned *>(to) = word[0] | word[1] << 16;
    else
        *to = (uint16_t)word[0];
}

/* Two rows of N neighbours of a scale. */
template <int N>
struct Pair {
    float of[2][N];
};

/* Makes half as many neighbours of the next scale. x and y are those of the first value. Past a
 * side, the last row and column are repeated. WHOLE: nothing lies past a side. */
template <bool WHOLE, int N>
__device__ __forceinline__ void halve(const Pair<N> &pair, const Scale &scale, int x, int y,
                                      float (&to)[N / 2])
{
    const bool below = WHOLE || y + 1 < scale.height;
#pragma unroll
    for (int i = 0; i < N / 2; i++) {
        const bool right = WHOLE || x + 2 * i + 1 < scale.width;
        const float a = pair.of[0][2 * i], b = below ? pair.of[1][2 * i] : a;
        const float c = right ? pair.of[0][2 * i + 1] : a;
        const float d = !right ? b : below ? pair.of[1][2 * i + 1] : c;
        to[i] = 0.25f * ((a + b) + (c + d));
    }
}

/* Makes two rows of the second scale, and stores them. */
template <typename T, int C, bool WHOLE>
__device__ __forceinline__ void make_first(const ssimcu_psnr_task &task, float quarter,
                                           const Scale &scale, const Place &at, int row,
                                           Pair<QUADS> (&first)[C])
{
    const int x = QUADS * at.x, y = QUADS * at.y + row;
    Row<T, C> px[2][2];
#pragma unroll
    for (int r = 0; r < 4; r++) read_row<T, C, WHOLE>(task, at, 2 * row + r, px[r / 2][r % 2]);
#pragma unroll
    for (int r = 0; r < 2; r++)
#pragma unroll
        for (int c = 0; c < C; c++) {
#pragma unroll
            for (int i = 0; i < QUADS; i++)
                first[c].of[r][i] =
                    quarter * sum_of<T, C, WHOLE>(px[r][0], px[r][1], 2 * i * C + c);
            if (WHOLE || y + r < scale.height)
                store(scale, (at.plane + c) * scale.plane + (y + r) * scale.pitch + x,
                      first[c].of[r]);
        }
}

/* Makes a thread's parts of three scales, of C channels, and returns those of the third. */
template <typename T, int C, bool WHOLE>
__device__ __forceinline__ void make_three(const ssimcu_psnr_task &task, float quarter,
                                           const Scales &scales, const Place &at, float (&third)[C])
{
    Pair<2> second[C];
    const Scale &to = scales.of[1], &last = scales.of[2];
    const int x = 2 * at.x;
#pragma unroll
    for (int r = 0; r < 2; r++) {
        Pair<QUADS> first[C];
        make_first<T, C, WHOLE>(task, quarter, scales.of[0], at, 2 * r, first);
        const int y = 2 * at.y + r;
#pragma unroll
        for (int c = 0; c < C; c++) {
            halve<WHOLE>(first[c], scales.of[0], QUADS * at.x, QUADS * at.y + 2 * r,
                         second[c].of[r]);
            if (WHOLE || y < to.height)
                store(to, (at.plane + c) * to.plane + y * to.pitch + x, second[c].of[r]);
        }
    }
#pragma unroll
    for (int c = 0; c < C; c++) {
        float value[1];
        halve<WHOLE>(second[c], to, x, 2 * at.y, value);
        store(last, (at.plane + c) * last.plane + at.y * last.pitch + at.x, value);
        third[c] = value[0];
    }
}

/* Makes the last scale from the values of 2 x 2 threads. All lanes take part. */
__device__ __forceinline__ void make_last(const Scales &scales, const Place &at, int64_t plane,
                                          float third)
{
    const Scale &before = scales.of[2], &scale = scales.of[3];
    Pair<2> pair;
    pair.of[0][0] = third;
    pair.of[0][1] = __shfl_down_sync(ALL_LANES, third, 1);
    pair.of[1][0] = __shfl_down_sync(ALL_LANES, third, WARP_COLS);
    pair.of[1][1] = __shfl_down_sync(ALL_LANES, third, WARP_COLS + 1);
    float value[1];
    halve<false>(pair, before, at.x, at.y, value);
    if (at.x % 2 == 0 && at.y % 2 == 0 && at.x < before.width && at.y < before.height)
        store(scale, plane * scale.plane + at.y / 2 * scale.pitch + at.x / 2, value);
}

/* The grid's third dimension selects an image of a pair, or with C = 1 a plane of it. */
template <typename T, int C>
__global__ void __launch_bounds__(THREADS, SM_BLOCKS)
    pyramid_kernel(const __grid_constant__ ssimcu_psnr_task task, bool dense, float quarter,
                   int64_t frame_bytes, const __grid_constant__ Scales scales)
{
    constexpr int ABREAST = BLOCK_COLS / WARP_COLS; /* warps of a block side by side */
    const int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
    const int plane = blockIdx.z * C, channel = plane % task.channels;
    const int image = plane / task.channels % IMAGES, frame = plane / task.channels / IMAGES;
    const void *const first = image == REF ? task.ref[channel] : task.out[channel];
    Place at;
    at.samples = static_cast<const char *>(first) + frame * frame_bytes;
    at.plane = plane;
    at.x = blockIdx.x * BLOCK_COLS + warp % ABREAST * WARP_COLS + lane % WARP_COLS;
    at.y = blockIdx.y * BLOCK_ROWS + warp / ABREAST * WARP_ROWS + lane / WARP_COLS;
    float third[C] = {};
    let_next_kernel_start();
    if (SIDE * at.x + SIDE <= task.width && SIDE * at.y + SIDE <= task.height && dense)
        make_three<T, C, true>(task, quarter, scales, at, third);
    else if (at.x < scales.of[2].width && at.y < scales.of[2].height)
        make_three<T, C, false>(task, quarter, scales, at, third);
#pragma unroll
    for (int c = 0; c < C; c++) make_last(scales, at, at.plane + c, third[c]);
}

} // namespace ssimcu::ms
