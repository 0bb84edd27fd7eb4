/* A lane's features: the data of a tile besides its score and its level shift. Only the first of a
 * lane's four windows counts (lane.cuh), so a lane has features of one column.
 *
 * Their cells follow those of all columns. Each column that counts has its four features side by
 * side. */
#pragma once

#include "ssim/tensor/rounding.cuh"

namespace ssimcu::tensor
{

/* A lane's row counts for DIFFERENCE in all tiles, or for TEXTURE in all tiles. */
static_assert(TILE_ROWS % SSIMCU_TILE_SUM_ROWS == 0 && SSIMCU_RADIUS / 2 % 2 == 0);

/* Returns the place of a column's features after the cells, if its other numbers are at place `at`
 * among cells and tails. The column is even. */
__host__ __device__ __forceinline__ int64_t feature_place(int64_t at)
{
    return at * (SSIMCU_TILE_FEATURES / 2);
}

struct Features {
    float4 sum; /* DIFFERENCE, TEXTURE, BRIGHT, DARK; the third is minus the maximum */

    static constexpr int MOST_THREADS = 4 * LANES;
    /* Features of windows that belong to the next row of the grid. */
    static __device__ __forceinline__ float4 &late()
    {
        __shared__ float4 sums[MOST_THREADS];
        return sums[threadIdx.x];
    }
    /* The place where a lane writes one feature of its column at the end of the row. */
    static __device__ __forceinline__ float *&cell()
    {
        __shared__ float *cells[MOST_THREADS];
        return cells[threadIdx.x];
    }
    static __device__ __forceinline__ float4 none() { return {0, 0, -0.0f, 0}; }

    __device__ __forceinline__ void begin(float *to)
    {
        sum = late() = none();
        cell() = to;
    }
    /* Adds a window. Maxima compare the bits of var(d) with the sign of mean(d), which is above 0
     * if OUT is darker. The largest number has the largest signed integer. The smallest, from -0
     * down, has the largest unsigned integer. */
    static __device__ __forceinline__ void join(float4 &sum, const Fractions &f)
    {
        const unsigned sign = __float_as_uint(f.mean_d[0]) & 0x80000000u;
        const unsigned own = __float_as_uint(f.var_d[0]) ^ sign;
        sum.x += fabsf(f.mean_d[0]);
        sum.y += f.texture[0];
        sum.z = __uint_as_float(max(__float_as_uint(sum.z), own));
        sum.w = __int_as_float(max(__float_as_int(sum.w), (int)own));
    }
    __device__ __forceinline__ void add(const Fractions &f) { join(sum, f); }
    static __device__ __forceinline__ void add_late(const Fractions &f) { join(late(), f); }
    /* Moves the sums of the next row into the current row. */
    __device__ __forceinline__ void take_late()
    {
        sum = late();
        late() = none();
    }

    /* Returns feature t of the column of four lanes in lane t, and clears the features. Lanes
     * exchange the values that they do not return. Sums of rows that do not count are dropped: rows
     * of even lanes count for DIFFERENCE, rows of odd lanes for TEXTURE. */
    __device__ __forceinline__ float take()
    {
        const bool second = threadIdx.x % 2, most = threadIdx.x % 4 >= 2;
        const auto swap = [](float value, int step) {
            return __shfl_xor_sync(ALL_LANES, value, step);
        };
        const float counted = second ? sum.y : sum.x;
        const float maximum = fmaxf(second ? sum.w : -sum.z, swap(second ? -sum.z : sum.w, 1));
        sum = none();
        const float other = swap(most ? counted : maximum, 2);
        return most ? fmaxf(maximum, other) : counted + other;
    }
};

} // namespace ssimcu::tensor
