/* A lane's features (account.cuh): what a tile tells besides its score and its shift. Of a lane's
 * four windows only the first counts (lane.cuh), so a lane has features of one column.
 *
 * Their cells lie behind those of all columns: of each column that counts the four features, side
 * by side. */
#ifndef SSIMCU_FEATURES_CUH
#define SSIMCU_FEATURES_CUH

#include "ssim/tensor/rounding.cuh"

namespace ssimcu::tensor
{

/* A lane's row of a tile is one of DIFFERENCE or of TEXTURE all the way down. */
static_assert(TILE_ROWS % SSIMCU_TILE_SUM_ROWS == 0 && SSIMCU_RADIUS / 2 % 2 == 0);

/* Returns the place of a column's features behind the cells, if its other numbers have place `at`
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
    /* Adds a window. Maxima are of the bits of var(d) with the sign of mean(d), which is above 0 if
     * OUT is darker. The largest number has the largest of whole numbers. The smallest, from -0
     * down, has the largest of unsigned ones. */
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
    /* Moves what was late into the row under way. */
    __device__ __forceinline__ void take_late()
    {
        sum = late();
        late() = none();
    }

    /* Returns feature t of the column of the four lanes, in lane t of them, and clears them. Lanes
     * hand each other what they do not return. Sums of rows that do not count for them are
     * dropped: an even lane's rows count for DIFFERENCE, an odd one's for TEXTURE. */
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

#endif
