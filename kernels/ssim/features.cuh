/* A lane's features of its two columns (account.cuh): what a tile tells besides its score and its
 * shift. They lie in registers, which walk.cuh has because part of its sums lie in shared memory.
 */
#ifndef SSIMCU_FEATURES_CUH
#define SSIMCU_FEATURES_CUH

#include "ssim/rounding.cuh"

namespace ssimcu::tensor
{

struct Features {
    /* DIFFERENCE, TEXTURE, BRIGHT, DARK of each column; the third is minus the maximum. */
    float4 sum[2];

    static constexpr int MOST_THREADS = 4 * LANES;
    /* Likewise of windows that belong to the next row of the grid. */
    static __device__ __forceinline__ float4 &late(int h)
    {
        __shared__ float4 sums[2][MOST_THREADS];
        return sums[h][threadIdx.x];
    }
    static __device__ __forceinline__ float4 none() { return {0, 0, -0.0f, 0}; }

    __device__ __forceinline__ void clear() { sum[0] = sum[1] = late(0) = late(1) = none(); }
    /* Returns the bits of var(d) of a window with the sign of mean(d): above 0 if OUT is darker. */
    static __device__ __forceinline__ unsigned signed_var(const Fractions &f, int i)
    {
        return __float_as_uint(f.var_d[i]) ^ (__float_as_uint(f.mean_d[i]) & 0x80000000u);
    }
    /* Adds one window of a column or both. Maxima are of bits: the largest number has the largest
     * of whole numbers, and the smallest number, from -0 down, the largest of unsigned ones. */
    static __device__ __forceinline__ void join(float4 &sum, const Fractions &f, int first,
                                                int last)
    {
#pragma unroll
        for (int i = first; i <= last; i++) {
            sum.x += fabsf(f.mean_d[i]);
            sum.y += f.texture[i];
        }
        const unsigned one = signed_var(f, first), other = signed_var(f, last);
        sum.z = __uint_as_float(__vimax3_u32(__float_as_uint(sum.z), one, other));
        sum.w = __int_as_float(__vimax3_s32(__float_as_int(sum.w), (int)one, (int)other));
    }
    __device__ __forceinline__ void add(const Fractions &f, int first, int last)
    {
        join(sum[first / 2], f, first, last);
    }
    static __device__ __forceinline__ void add_late(const Fractions &f, int i)
    {
        join(late(i / 2), f, i, i);
    }
    /* Moves what was late into the row under way. */
    __device__ __forceinline__ void take_late()
    {
#pragma unroll
        for (int h = 0; h < 2; h++) {
            sum[h] = late(h);
            late(h) = none();
        }
    }

    /* Returns the features of a column over its four lanes, in each lane that has it: lane t has
     * column t % 2 of those that it shares with its neighbours. Clears the parts. */
    __device__ __forceinline__ float4 take()
    {
        const bool second = threadIdx.x % 2;
        float4 own = second ? sum[1] : sum[0];
        const float4 other = second ? sum[0] : sum[1];
#pragma unroll
        for (int step = 1; step <= 2; step++) {
            const float4 part = step == 1 ? other : own;
            own.x += __shfl_xor_sync(ALL_LANES, part.x, step);
            own.y += __shfl_xor_sync(ALL_LANES, part.y, step);
            own.z = fminf(own.z, __shfl_xor_sync(ALL_LANES, part.z, step));
            own.w = fmaxf(own.w, __shfl_xor_sync(ALL_LANES, part.w, step));
        }
        sum[0] = sum[1] = none();
        return own;
    }
    /* Writes those of columns, `step` apart, and clears them. */
    __device__ __forceinline__ void write(float *to, int64_t step)
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
