/* Launch bounds that every architecture can keep. */
#ifndef SSIMCU_LAUNCH_CUH
#define SSIMCU_LAUNCH_CUH

namespace ssimcu
{

/* Returns the threads that an SM holds; on the host, those that all devices from sm_80 on hold. */
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

/* Returns the blocks per SM, but not more than its threads allow: the compiler refuses more. */
__host__ __device__ constexpr int blocks_per_sm(int wanted, int threads)
{
    return wanted * threads <= sm_threads() ? wanted : sm_threads() / threads;
}

} // namespace ssimcu

#endif
