/* Planes over black and planes over white -> planes over a grey in between. */
#include "core/divide_up.h"
#include "core/fixed.h"
#include "kernels.h"

namespace
{

constexpr int THREADS = 256, FLOATS = 4; /* of a thread */

/* Returns a number of a plane as a float in plane units. */
template <bool FIXED>
__device__ __forceinline__ float value_of(float v)
{
    return FIXED ? ssimcu_fixed_float(__float_as_int(v)) : v;
}

template <bool FIXED>
__device__ __forceinline__ float mix(float black, float white, float grey)
{
    const float b = value_of<FIXED>(black), w = value_of<FIXED>(white);
    return b + grey * (w - b);
}

template <bool FIXED>
__global__ void __launch_bounds__(THREADS)
    mix_kernel(float4 *black, const float4 *white, float grey, size_t count)
{
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= count) return;
    const float4 b = black[i], w = white[i];
    black[i] = make_float4(mix<FIXED>(b.x, w.x, grey), mix<FIXED>(b.y, w.y, grey),
                           mix<FIXED>(b.z, w.z, grey), mix<FIXED>(b.w, w.w, grey));
}

} // namespace

cudaError_t ssimcu_mix_cuda(float *black, const float *white, float grey, int fixed, size_t floats,
                            cudaStream_t stream)
{
    void (*const kernel)(float4 *, const float4 *, float, size_t) =
        fixed ? mix_kernel<true> : mix_kernel<false>;
    const size_t count = floats / FLOATS;
    kernel<<<(unsigned)ssimcu_divide_up((int64_t)count, THREADS), THREADS, 0, stream>>>(
        reinterpret_cast<float4 *>(black), reinterpret_cast<const float4 *>(white), grey, count);
    return cudaGetLastError();
}
