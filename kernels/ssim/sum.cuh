/* Sums of a warp, in float with their rounding errors, then in double in a fixed order. */
#ifndef SSIMCU_SUM_CUH
#define SSIMCU_SUM_CUH

namespace
{

constexpr int LANES = 32;
constexpr unsigned ALL_LANES = 0xffffffffu;

/* A running sum with its rounding error (Kahan): flat frames add the same number a thousand times.
 */
struct Sum {
    float total = 0, lost = 0;
    __device__ __forceinline__ void add(float value)
    {
        const float corrected = value - lost;
        const float next = total + corrected;
        lost = (next - total) - corrected;
        total = next;
    }
};

/* The sum over all lanes, in lane 0, always added in the same order. */
__device__ __forceinline__ double sum_lanes(double value)
{
#pragma unroll
    for (int step = LANES / 2; step > 0; step /= 2)
        value += __shfl_down_sync(ALL_LANES, value, step);
    return value;
}

__device__ __forceinline__ double sum_lanes(const Sum &sum)
{
    return sum_lanes((double)sum.total - (double)sum.lost);
}

} // namespace

#endif
