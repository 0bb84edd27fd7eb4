/* The windows of a tile that belong to one lane. */
#pragma once

#include "ssim/ssim.cuh"

namespace ssimcu::tensor
{

/* Outputs of a kernel besides the score. FEATURES are tiles with all of their numbers. */
enum Output { SCORE, SQUARES, STRUCTURE, MAP, TILES, FEATURES };

/* The place of a lane's windows in a tile. Window i lies in the lane's column i / 2 and in its row
 * i % 2. The tensor cores' order is columns g and g + 8 and rows 2 t and 2 t + 1. */
template <Output OUTPUT>
struct Lane {
    int g, t;

    explicit __device__ __forceinline__ Lane(int) : g(threadIdx.x % LANES / 4), t(threadIdx.x % 4)
    {
    }
    __device__ __forceinline__ int column(int h) const { return g + 8 * h; }
    /* Returns the row of window i, from row 2 t on. */
    __device__ __forceinline__ int down(int i) const { return i % 2; }
    /* Returns the row of windows whose weights the lane has. */
    __device__ __forceinline__ int row() const { return g; }
};

/* Features need another order of weights, so that a lane has a block of 2 x 2 windows. The first
 * window counts: it lies in an even column and row of the frame's grid of windows. Tiles begin
 * `above` rows above that grid. */
template <>
struct Lane<FEATURES> {
    int g, t, odd;

    explicit __device__ __forceinline__ Lane(int above)
        : g(threadIdx.x % LANES / 4), t(threadIdx.x % 4), odd(above % 2)
    {
    }
    __device__ __forceinline__ int column(int h) const { return 2 * g + h; }
    __device__ __forceinline__ int down(int i) const { return i % 2 ^ odd; }
    __device__ __forceinline__ int row() const { return g ^ odd; }
};

} // namespace ssimcu::tensor
