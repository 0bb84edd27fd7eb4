/* Samples as they lie -> planes of floats in plane units, at the scales of MS-SSIM below the first.
 * Each is half of the one before: the means of 2 x 2 samples. An odd last row or column is
 * repeated.
 *
 * DATA FLOW. A block makes all scales of 64 x 32 pixels of one frame, so that samples are read
 * once. Shared memory holds a scale for the next.
 */
#ifndef SSIMCU_MS_SSIM_PYRAMID_CUH
#define SSIMCU_MS_SSIM_PYRAMID_CUH

#include "core/values.cuh"
#include "kernels.h"

#include <type_traits>

namespace ssimcu::ms
{

constexpr int COLS = 32, ROWS = 16; /* of a block in the second scale */
constexpr int THREADS = 256, LOWER = SSIMCU_MS_SCALES - 1, IMAGES = 2;

/* A scale below the first. Planes are those of REF, then those of OUT. */
struct Scale {
    int width, height;
    int64_t pitch, plane; /* floats */
    float *planes;
};

struct Scales {
    Scale of[LOWER];
};

using Halved = float[SSIMCU_MAX_CHANNELS][ROWS][COLS];

/* Adds samples of either half of a quad. Integers are added up as such. */
template <typename T>
__device__ __forceinline__ float sum_of(T a, T b, T c, T d)
{
    if constexpr (std::is_integral_v<T>)
        return (float)((a + b) + (c + d));
    else
        return (value_of(a) + value_of(b)) + (value_of(c) + value_of(d));
}

/* Returns the sum of 2 x 2 samples, in their own units. */
template <typename T>
__device__ __forceinline__ float sum_quad(const ssimcu_psnr_task &task, const void *samples, int x,
                                          int y)
{
    const char *const top =
        static_cast<const char *>(samples) + (int64_t)(2 * y) * task.pitch_bytes;
    const char *const bottom = 2 * y + 1 < task.height ? top + task.pitch_bytes : top;
    const int64_t left = (int64_t)(2 * x) * task.step,
                  right = 2 * x + 1 < task.width ? left + task.step : left;
    const T *const a = reinterpret_cast<const T *>(top);
    const T *const b = reinterpret_cast<const T *>(bottom);
    return sum_of(a[left], b[left], a[right], b[right]);
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

template <typename T>
__global__ void __launch_bounds__(THREADS)
    pyramid_kernel(const __grid_constant__ ssimcu_psnr_task task, float quarter,
                   const __grid_constant__ Scales scales)
{
    __shared__ Halved halved[2];
    const int image = blockIdx.z, channels = task.channels;
    int x0 = blockIdx.x * COLS, y0 = blockIdx.y * ROWS;
    const Scale &first = scales.of[0];
    for (int i = threadIdx.x; i < COLS * ROWS; i += THREADS) {
        const int x = x0 + i % COLS, y = y0 + i / COLS;
        if (x >= first.width || y >= first.height) continue;
#pragma unroll
        for (int c = 0; c < SSIMCU_MAX_CHANNELS; c++) {
            if (c >= channels) break;
            const float sum = sum_quad<T>(task, image ? task.out[c] : task.ref[c], x, y);
            const int64_t at = (image * channels + c) * first.plane + y * first.pitch + x;
            halved[0][c][i / COLS][i % COLS] = first.planes[at] = quarter * sum;
        }
    }
    int columns = COLS, rows = ROWS;
    for (int s = 1; s < LOWER; s++) {
        const Scale &scale = scales.of[s];
        columns /= 2, rows /= 2, x0 /= 2, y0 /= 2;
        __syncthreads();
        for (int i = threadIdx.x; i < columns * rows * channels; i += THREADS) {
            const int column = i % columns, row = i / columns % rows, c = i / (columns * rows);
            const int x = x0 + column, y = y0 + row;
            if (x >= scale.width || y >= scale.height) continue;
            const float value = halve(halved[1 - s % 2][c], scales.of[s - 1], x0, y0, column, row);
            halved[s % 2][c][row][column] = value;
            scale.planes[(image * channels + c) * scale.plane + y * scale.pitch + x] = value;
        }
    }
}

} // namespace ssimcu::ms

#endif
