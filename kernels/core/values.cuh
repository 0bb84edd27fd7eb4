/* Converts a sample of any kind to a number, for kernels that process samples one by one. */
#pragma once

#include "core/fixed.h"
#include "core/samples.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace ssimcu
{

/* Whole numbers of the bounded and of the unbounded form (core/fixed.h). */
struct Fixed {
    int32_t number;
};
struct AnyFixed {
    int32_t number;
};

/* Returns a sample as a float, before its factor to plane units. */
__device__ __forceinline__ float value_of(uint8_t v) { return v; }
__device__ __forceinline__ float value_of(uint16_t v) { return v; }
__device__ __forceinline__ float value_of(float v) { return v; }
__device__ __forceinline__ float value_of(__half v) { return __half2float(v); }
__device__ __forceinline__ float value_of(__nv_bfloat16 v) { return __bfloat162float(v); }
__device__ __forceinline__ float value_of(Fixed v)
{
    return (float)v.number * (1 / SSIMCU_FIXED_ONE);
}
__device__ __forceinline__ float value_of(AnyFixed v) { return ssimcu_fixed_float(v.number); }

/* Returns the difference of two samples. */
template <typename T>
__device__ __forceinline__ double difference_of(T a, T b)
{
    return (double)value_of(a) - (double)value_of(b);
}
__device__ __forceinline__ double difference_of(Fixed a, Fixed b)
{
    return (double)(a.number - b.number) * (1 / (double)SSIMCU_FIXED_ONE);
}
__device__ __forceinline__ double difference_of(AnyFixed a, AnyFixed b)
{
    if (ssimcu_fixed_is_large(a.number) || ssimcu_fixed_is_large(b.number))
        return (double)value_of(a) - (double)value_of(b);
    return difference_of(Fixed{a.number}, Fixed{b.number});
}

} // namespace ssimcu
