/* Block sums -> one sum per plane, in double and always in the same order, so that a score has the
 * same bits on every run.
 *
 * DATA FLOW. One block per plane: 256 threads take the partials in strides, then a tree. A 4K frame
 * has 1,400 partials per plane; the launch costs more than the work. Where the device can, the
 * launch is made ready while the kernel before it still runs, and waits for it by itself: one 1080p
 * frame 42.8 -> 41.0 us.
 */
#include "kernels.h"

namespace
{

constexpr int THREADS = 256;
constexpr int WAITING_PTX = 90; /* from this version of code on, a kernel can wait by itself */

__device__ __forceinline__ void wait_for_kernel_before()
{
#if __CUDA_ARCH__ >= 900 /* 10 * WAITING_PTX */
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

__global__ void __launch_bounds__(THREADS)
    reduce_kernel(const double *partial, size_t per_plane, double *sums)
{
    __shared__ double sum[THREADS];
    double own = 0;
    wait_for_kernel_before();
    for (size_t i = threadIdx.x; i < per_plane; i += THREADS)
        own += partial[blockIdx.x * per_plane + i];
    sum[threadIdx.x] = own;
    for (int half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) sum[threadIdx.x] += sum[threadIdx.x + half];
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = sum[0];
}

/* Whether the code that the current device runs waits as above. */
cudaError_t is_early(int *early)
{
    cudaFuncAttributes code;
    const cudaError_t error = cudaFuncGetAttributes(&code, reduce_kernel);
    *early = error == cudaSuccess && code.ptxVersion >= WAITING_PTX;
    return error;
}

} // namespace

cudaError_t ssimcu_reduce_cuda(const double *partial, size_t partials, int planes, double *sums,
                               cudaStream_t stream)
{
    int early = 0;
    cudaError_t error = is_early(&early);
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(planes);
    config.blockDim = dim3(THREADS);
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = early ? 1 : 0;
    if (error == cudaSuccess)
        error = cudaLaunchKernelEx(&config, reduce_kernel, partial, partials / planes, sums);
    (void)cudaGetLastError();
    return error;
}
