/* Sums of doubles over a block, always in the same order, so that results have the same bits on
 * every run. */
#pragma once

#include <stdint.h>

namespace ssimcu
{

/* Adds up N numbers of each thread of a block. Thread 0 reads the sums from sum[...][0]. */
template <int THREADS, int N>
__device__ __forceinline__ void add_tree(const double (&own)[N], double (&sum)[N][THREADS])
{
    for (int k = 0; k < N; k++) sum[k][threadIdx.x] = own[k];
    for (int half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            for (int k = 0; k < N; k++) sum[k][threadIdx.x] += sum[k][threadIdx.x + half];
    }
}

/* Adds up `count` groups of N numbers in memory. */
template <int THREADS, int N>
__device__ __forceinline__ void add_partials(const double *partial, int64_t count,
                                             double (&sum)[N][THREADS])
{
    double own[N] = {};
    for (int64_t i = threadIdx.x; i < count; i += THREADS)
        for (int k = 0; k < N; k++) own[k] += partial[N * i + k];
    add_tree(own, sum);
}

} // namespace ssimcu
