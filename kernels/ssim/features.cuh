/* A lane's features of its two columns (account.cuh): what a tile tells besides its score and its
 * shift. They lie in shared memory, because registers are short, and are read and written once a
 * tile. A 4K pair of bytes on an H100: 114 us with tiles, 137 with features; 140 with those of the
 * row under way in registers, 138 with three blocks per SM for more of these. */
#ifndef SSIMCU_FEATURES_CUH
#define SSIMCU_FEATURES_CUH

#include "ssim/rounding.cuh"

namespace ssimcu::tensor
{

struct Features {
    static constexpr int MOST_THREADS = 4 * LANES;
    /* Whether windows belong to the row of the grid under way or to the next. */
    enum Row { NOW, LATE, ROWS };

    /* DIFFERENCE, TEXTURE, BRIGHT, DARK of column h; the third is minus the maximum. */
    static __device__ __forceinline__ float4 &of(Row row, int h)
    {
        __shared__ float4 features[ROWS][2][MOST_THREADS];
        return features[row][h][threadIdx.x];
    }
    static __device__ __forceinline__ void clear()
    {
        of(NOW, 0) = of(NOW, 1) = of(LATE, 0) = of(LATE, 1) = {};
    }
    /* Returns var(d) of a window with the sign of mean(d): above 0 if OUT is darker. */
    static __device__ __forceinline__ float signed_var(const Fractions &f, int i)
    {
        const unsigned sign = __float_as_uint(f.mean_d[i]) & 0x80000000u;
        return __uint_as_float(__float_as_uint(f.var_d[i]) ^ sign);
    }
    /* Adds the windows `first` to `last` of one column. */
    static __device__ __forceinline__ void add(Row row, const Fractions &f, int first, int last)
    {
        float4 sum = of(row, first / 2);
#pragma unroll
        for (int i = first; i <= last; i++) {
            const float var = signed_var(f, i);
            sum.x += fabsf(f.mean_d[i]);
            sum.y += f.texture[i];
            sum.z = fminf(sum.z, var);
            sum.w = fmaxf(sum.w, var);
        }
        of(row, first / 2) = sum;
    }
    /* Moves what was late into the row under way. */
    static __device__ __forceinline__ void take_late()
    {
#pragma unroll
        for (int h = 0; h < 2; h++) {
            of(NOW, h) = of(LATE, h);
            of(LATE, h) = {};
        }
    }

    /* Returns the features of a column over its four lanes, in each lane that has it: lane t has
     * column t % 2 of those that it shares with its neighbours. */
    static __device__ __forceinline__ float4 take()
    {
        const int own = threadIdx.x % 2;
        float4 sum = of(NOW, own);
        const float4 other = of(NOW, 1 - own);
#pragma unroll
        for (int step = 1; step <= 2; step++) {
            const float4 part = step == 1 ? other : sum;
            sum.x += __shfl_xor_sync(ALL_LANES, part.x, step);
            sum.y += __shfl_xor_sync(ALL_LANES, part.y, step);
            sum.z = fminf(sum.z, __shfl_xor_sync(ALL_LANES, part.z, step));
            sum.w = fmaxf(sum.w, __shfl_xor_sync(ALL_LANES, part.w, step));
        }
        of(NOW, 0) = of(NOW, 1) = {};
        return sum;
    }
    /* Writes those of columns, `step` apart, and clears them. */
    static __device__ __forceinline__ void write(float *to, int64_t step)
    {
        const float4 column = take();
        if (threadIdx.x % 4 >= 2) return;
        to[0] = column.x;
        to[step] = column.y;
        to[2 * step] = -column.z;
        to[3 * step] = column.w;
    }
};

} // namespace ssimcu::tensor

#endif
