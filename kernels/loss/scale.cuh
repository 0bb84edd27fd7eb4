/* Multiplies a finished gradient by the gradient that backpropagation passes to the loss. */
#pragma once

#include "core/launch.cuh"
#include "loss/loss.cuh"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace ssimcu::loss
{

constexpr int SCALE_THREADS = 256;

struct Scaled {
    ssimcu_loss_samples samples;
    int width, height, channels;
    int across; /* blocks across a row */
    const float *factor;
};

__device__ __forceinline__ void scale_sample(int type, char *at, float factor)
{
    if (type == SSIMCU_SAMPLE_F32)
        *(float *)at *= factor;
    else if (type == SSIMCU_SAMPLE_F16)
        *(__half *)at = __float2half_rn(__half2float(*(__half *)at) * factor);
    else
        *(__nv_bfloat16 *)at = __float2bfloat16_rn(__bfloat162float(*(__nv_bfloat16 *)at) * factor);
}

__device__ __forceinline__ void scale_four(char *at, float factor)
{
    float4 four = *(float4 *)at;
    four.x *= factor, four.y *= factor, four.z *= factor, four.w *= factor;
    *(float4 *)at = four;
}

/* A thread scales a column that is PIXELS wide. PIXELS is 4 only for contiguous, aligned floats. */
template <int PIXELS>
__global__ void __launch_bounds__(SCALE_THREADS) scale_kernel(const __grid_constant__ Scaled scaled)
{
    wait_for_kernel_before();
    const float factor = *scaled.factor;
    const ssimcu_loss_samples &to = scaled.samples;
    if (factor == 1) return;
    const int plane = blockIdx.x / scaled.across, frame = plane / scaled.channels;
    const int x = (blockIdx.x % scaled.across * SCALE_THREADS + threadIdx.x) * PIXELS;
    const int pixels = min(PIXELS, scaled.width - x);
    char *at = (char *)to.data + frame * to.frame + plane % scaled.channels * to.channel +
               x * to.pixel + blockIdx.y * to.row;
    for (int y = blockIdx.y; y < scaled.height; y += gridDim.y, at += gridDim.y * to.row)
        if (PIXELS == 4 && pixels == 4)
            scale_four(at, factor);
        else
            for (int k = 0; k < pixels; k++) scale_sample(to.type, at + k * to.pixel, factor);
}

/* Returns whether each row starts where a float4 may be read. */
inline bool lies_in_fours(const ssimcu_loss_samples &samples)
{
    const uint64_t starts =
        (uintptr_t)samples.data | (uint64_t)(samples.row | samples.channel | samples.frame);
    return samples.type == SSIMCU_SAMPLE_F32 && samples.pixel == sizeof(float) &&
           starts % sizeof(float4) == 0;
}

} // namespace ssimcu::loss
