/* See device_permute_huge in device.h. */
#include "device.h"
#include "fail.h"
#include "ssimcu_cuda.h"

#include <cuda_runtime_api.h>

namespace
{

constexpr size_t GUARD = 4096;
constexpr uint8_t POISON = 0xA5;

/* Sizes and places, with strides filled in. */
struct Huge {
    uint32_t rank;
    int64_t size[8], src_stride[8]; /* both in the destination's order */
    int64_t count, src_bytes;
};

/* Returns a byte that changes with every bit of the place, the upper 32 included. */
__device__ uint8_t byte_at(int64_t place)
{
    uint64_t v = (uint64_t)place * 0x9e3779b97f4a7c15u;
    return (uint8_t)((v ^ v >> 29) * 0xbf58476d1ce4e5b9u >> 56);
}

__global__ void fill(uint8_t *src, int64_t bytes)
{
    const int64_t threads = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < bytes; i += threads)
        src[i] = byte_at(i);
}

__global__ void verify(const uint8_t *dst, Huge huge, unsigned long long *wrong)
{
    const int64_t threads = (int64_t)gridDim.x * blockDim.x;
    unsigned long long bad = 0;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < huge.count; i += threads) {
        int64_t rest = i, from = 0;
        for (int k = (int)huge.rank - 1; k >= 0; k--) {
            from += rest % huge.size[k] * huge.src_stride[k];
            rest /= huge.size[k];
        }
        bad += dst[i] != byte_at(from);
    }
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < (int64_t)GUARD;
         i += threads)
        bad += (dst[-1 - i] != POISON) + (dst[huge.count + i] != POISON);
    if (bad) atomicAdd(wrong, bad);
}

Huge measure(const ssimcu_permute_layout *layout)
{
    Huge huge = {layout->rank, {0}, {0}, 1, 1};
    int64_t stride[8], step = 1;
    for (int i = (int)layout->rank - 1; i >= 0; i--) {
        stride[i] = layout->src_stride[i] ? layout->src_stride[i] : step;
        step *= layout->size[i];
        huge.src_bytes += (layout->size[i] - 1) * stride[i];
    }
    for (uint32_t k = 0; k < layout->rank; k++) {
        huge.size[k] = layout->size[layout->order[k]];
        huge.src_stride[k] = stride[layout->order[k]];
        huge.count *= huge.size[k];
    }
    return huge;
}

ssimcu_status run(const ssimcu_permute_layout *layout, const Huge &huge, uint8_t *src, uint8_t *dst,
                  uint64_t *wrong, ssimcu_message *message)
{
    const size_t bytes = (size_t)huge.count + 2 * GUARD;
    unsigned long long *count = (unsigned long long *)(dst + (bytes + 7) / 8 * 8);
    cudaMemset(dst, POISON, bytes);
    cudaMemset(count, 0, sizeof *count);
    fill<<<4096, 256>>>(src, huge.src_bytes);
    const ssimcu_status status = ssimcu_permute_async(layout, dst + GUARD, src, 0, message);
    if (status != SSIMCU_OK) return status;
    verify<<<4096, 256>>>(dst + GUARD, huge, count);
    const cudaError_t error = cudaMemcpy(wrong, count, sizeof *wrong, cudaMemcpyDeviceToHost);
    if (error == cudaSuccess) return SSIMCU_OK;
    return ssimcu_fail(message, SSIMCU_ERROR_DEVICE, "%s", cudaGetErrorString(error));
}

} // namespace

ssimcu_status device_permute_huge(const ssimcu_permute_layout *layout, uint64_t *wrong,
                                  ssimcu_message *message)
{
    const Huge huge = measure(layout);
    uint8_t *src = NULL, *dst = NULL;
    ssimcu_status status;
    if (cudaMalloc((void **)&src, (size_t)huge.src_bytes) == cudaSuccess &&
        cudaMalloc((void **)&dst, (size_t)huge.count + 2 * GUARD + 64) == cudaSuccess)
        status = run(layout, huge, src, dst, wrong, message);
    else
        status = ssimcu_fail(message, SSIMCU_ERROR_MEMORY, "device memory for %lld bytes: %s",
                             (long long)(huge.src_bytes + huge.count),
                             cudaGetErrorString(cudaGetLastError()));
    cudaFree(src);
    cudaFree(dst);
    return status;
}
