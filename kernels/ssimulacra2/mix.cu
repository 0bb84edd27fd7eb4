/* Planes over black and over white -> planes over a grey between them. */
#include "core/divide_up.h"
#include "kernels.h"

namespace
{

constexpr int THREADS = 256, FLOATS = 4; /* of a thread */

__global__ void __launch_bounds__(THREADS)
    mix_kernel(float4 *black, const float4 *white, float grey, size_t count)
{
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= count) return;
    const float4 b = black[i], w = white[i];
    black[i] = make_float4(b.x + grey * (w.x - b.x), b.y + grey * (w.y - b.y),
                           b.z + grey * (w.z - b.z), b.w + grey * (w.w - b.w));
}

} // namespace

cudaError_t ssimcu_mix_cuda(float *black, const float *white, float grey, size_t floats,
                            cudaStream_t stream)
{
    const size_t count = floats / FLOATS;
    mix_kernel<<<(unsigned)ssimcu_divide_up((int64_t)count, THREADS), THREADS, 0, stream>>>(
        reinterpret_cast<float4 *>(black), reinterpret_cast<const float4 *>(white), grey, count);
    return cudaGetLastError();
}
