/* Launch bounds that hold on every architecture, and launches that overlap. */
#pragma once

#include <cuda_runtime.h>

namespace ssimcu
{

/* Returns the threads per SM. On the host, it returns the number that all devices from sm_80 on
 * hold. */
__host__ __device__ constexpr int sm_threads()
{
#ifndef __CUDA_ARCH__
    return 1536;
#elif __CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000
    return 2048;
#else
    return __CUDA_ARCH__ < 800 ? 1024 : 1536;
#endif
}

/* Returns the blocks per SM, limited by its threads, because the compiler rejects more. */
__host__ __device__ constexpr int blocks_per_sm(int wanted, int threads)
{
    return wanted * threads <= sm_threads() ? wanted : sm_threads() / threads;
}

/* OVERLAP. A kernel launched by launch_overlapping() may begin while the previous kernel on its
 * stream still runs. It begins when that kernel allows it, or as its blocks end. The new kernel
 * must wait for the previous one before it reads the results. If it needs no results, it waits
 * before it ends. So when it is done, all kernels before are done, too. */
__device__ __forceinline__ void wait_for_kernel_before()
{
#if __CUDA_ARCH__ >= 900 /* 10 * WAITING_PTX */
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* Ends a kernel that reads no results of the previous one. Only its last block waits for that
 * kernel. The others leave their SMs to the next kernel. If all waited, they would hold registers
 * that the next kernel needs. MS-SSIM of one 4K pair would take 198 us on an H200, not 190. */
__device__ __forceinline__ void end_behind_kernel_before()
{
    if (blockIdx.x == gridDim.x - 1) wait_for_kernel_before();
}

/* Lets the next kernel begin once all blocks have called this or ended. */
__device__ __forceinline__ void let_next_kernel_start()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

template <class... Parameters, class... Arguments>
cudaError_t launch_overlapping(void (*kernel)(Parameters...), dim3 blocks, int threads, int shared,
                               cudaStream_t stream, const Arguments &...arguments)
{
    constexpr int WAITING_PTX = 90; /* lowest code version whose kernels can wait for others */
    cudaFuncAttributes code;
    cudaError_t error = cudaFuncGetAttributes(&code, kernel);
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks;
    config.blockDim = dim3((unsigned)threads);
    config.dynamicSmemBytes = (size_t)shared;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = error == cudaSuccess && code.ptxVersion >= WAITING_PTX;
    if (error == cudaSuccess) error = cudaLaunchKernelEx(&config, kernel, arguments...);
    (void)cudaGetLastError();
    return error;
}

/* Launches a kernel normally, or so that it overlaps the previous one. */
template <class... Parameters, class... Arguments>
cudaError_t launch_beside(bool beside, void (*kernel)(Parameters...), dim3 blocks, int threads,
                          cudaStream_t stream, const Arguments &...arguments)
{
    if (beside) return launch_overlapping(kernel, blocks, threads, 0, stream, arguments...);
    kernel<<<blocks, threads, 0, stream>>>(arguments...);
    return cudaGetLastError();
}

} // namespace ssimcu
