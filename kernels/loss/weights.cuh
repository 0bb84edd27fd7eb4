/* Makes the weights of pixels and windows from a mask, and their sums, before the loss kernel. A
 * block loads a tile of the mask and its surroundings into shared memory. A window's weight is the
 * weight of its centre. With SSIMCU_LOSS_INSIDE it is 1 if the whole window lies inside the mask,
 * else 0, by a minimum along rows and then columns. */
#pragma once

#include "core/sums.cuh"
#include "loss/fetch.cuh"

namespace ssimcu::loss
{

constexpr int TILE_X = 64, TILE_Y = 16, TILE_THREADS = 256;
constexpr int WIDE = TILE_X + 2 * SSIMCU_RADIUS, TALL = TILE_Y + 2 * SSIMCU_RADIUS;

struct Masked {
    ssimcu_loss_samples mask;
    int rule, width, height;
    int low[2], high[2]; /* range of windows that count: columns, rows */
    float *pixel, *window;
    int64_t pitch, frame; /* floats */
    double *partial;      /* two per block: sums of pixel weights and window weights */
    int across, down;     /* tiles */
};

__device__ __forceinline__ float mask_at(const Masked &masked, int frame, int x, int y)
{
    const ssimcu_loss_samples &mask = masked.mask;
    if ((unsigned)x >= (unsigned)masked.width || (unsigned)y >= (unsigned)masked.height) return 1;
    const char *const from =
        (const char *)mask.data + frame * mask.frame + y * mask.row + x * mask.pixel;
    const uint32_t bits = mask.type == SSIMCU_SAMPLE_F32  ? load<4>(from)
                          : mask.type == SSIMCU_SAMPLE_U8 ? load<1>(from)
                                                          : load<2>(from);
    const float value = value_of_bits(mask.type, bits) * mask.factor;
    return masked.rule == SSIMCU_LOSS_INSIDE ? (float)(value != 0) : value;
}

/* Returns the weight of the window centred on a pixel of the tile: 1 if it lies wholly inside the
 * mask, else 0. */
__device__ __forceinline__ float whole_window(const float (*across)[TILE_X], int x, int y)
{
    float least = 1;
    for (int k = 0; k < TAPS; k++) least = fminf(least, across[y + k][x]);
    return least;
}

__global__ void __launch_bounds__(TILE_THREADS)
    weights_kernel(const __grid_constant__ Masked masked)
{
    __shared__ float tile[TALL][WIDE], across[TALL][TILE_X];
    __shared__ double sums[2][TILE_THREADS];
    const int left = blockIdx.x % masked.across * TILE_X, row = blockIdx.x / masked.across;
    const int top = row % masked.down * TILE_Y, frame = row / masked.down;
    const bool inside = masked.rule == SSIMCU_LOSS_INSIDE;
    for (int i = threadIdx.x; i < WIDE * TALL; i += TILE_THREADS)
        tile[i / WIDE][i % WIDE] =
            mask_at(masked, frame, left + i % WIDE - SSIMCU_RADIUS, top + i / WIDE - SSIMCU_RADIUS);
    __syncthreads();
    for (int i = threadIdx.x; i < TILE_X * TALL; i += TILE_THREADS) {
        float least = 1;
        for (int k = 0; k < TAPS; k++) least = fminf(least, tile[i / TILE_X][i % TILE_X + k]);
        across[i / TILE_X][i % TILE_X] = least;
    }
    __syncthreads();
    double own[2] = {};
    for (int i = threadIdx.x; i < TILE_X * TILE_Y; i += TILE_THREADS) {
        const int x = i % TILE_X, y = i / TILE_X, at_x = left + x, at_y = top + y;
        if (at_x >= masked.width || at_y >= masked.height) continue;
        const float pixel = tile[y + SSIMCU_RADIUS][x + SSIMCU_RADIUS];
        const bool counts = at_x >= masked.low[0] && at_x < masked.high[0] &&
                            at_y >= masked.low[1] && at_y < masked.high[1];
        const float window = !counts ? 0 : inside ? whole_window(across, x, y) : pixel;
        const int64_t to = frame * masked.frame + at_y * masked.pitch + at_x;
        masked.pixel[to] = pixel, masked.window[to] = window;
        own[0] += (double)pixel, own[1] += (double)window;
    }
    add_tree(own, sums);
    if (threadIdx.x > 0) return;
    for (int k = 0; k < 2; k++) masked.partial[2 * blockIdx.x + k] = sums[k][0];
}

/* Adds up `count` pairs of numbers and multiplies the sums by `factor`. */
__global__ void __launch_bounds__(TILE_THREADS)
    add_weights_kernel(const double *partial, int64_t count, double factor, double *to)
{
    __shared__ double sums[2][TILE_THREADS];
    add_partials(partial, count, sums);
    if (threadIdx.x > 0) return;
    for (int k = 0; k < 2; k++) to[k] = factor * sums[k][0];
}

} // namespace ssimcu::loss
