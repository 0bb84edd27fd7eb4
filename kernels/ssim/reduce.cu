/* Block sums -> one sum per plane, in double and always in the same order, so that a score has the
 * same bits on every run. One block per plane: 256 threads take the partials in strides, then a
 * tree. A 4K frame has 300 partials per plane; the launch costs more than the work. */
#include "kernels.h"

namespace
{

constexpr int THREADS = 256;

__global__ void __launch_bounds__(THREADS)
    reduce_kernel(const double *partial, size_t per_plane, double *sums)
{
    __shared__ double sum[THREADS];
    double own = 0;
    for (size_t i = threadIdx.x; i < per_plane; i += THREADS)
        own += partial[blockIdx.x * per_plane + i];
    sum[threadIdx.x] = own;
    for (int half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) sum[threadIdx.x] += sum[threadIdx.x + half];
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = sum[0];
}

} // namespace

cudaError_t ssimcu_reduce_cuda(const double *partial, size_t partials, int planes, double *sums,
                               cudaStream_t stream)
{
    reduce_kernel<<<planes, THREADS, 0, stream>>>(partial, partials / planes, sums);
    return cudaGetLastError();
}
