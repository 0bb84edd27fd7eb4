/* The SSIM kernels share this file: the window, the two frames, the four moments, and sums over a
 * warp.
 *
 * THE FORM. With s = x + y and d = x - y, four blurs give everything, and 1 - SSIM has no
 * cancellation. With a = mean(s)^2 + 2 C1, b = var(s) + 2 C2, D = mean(d), v = var(d),
 *
 *     1 - SSIM = 2 (a v + b D^2) / ((a + D^2) (b + v))
 *
 * This is exactly 0 where d is 0, and the same for (x, y) and (y, x). The sums are of 1 - SSIM, not
 * SSIM. That keeps the exactness and spends the float's digits on the difference.
 *
 * SUMS are kept in float together with their rounding errors, then in double. Their order is fixed,
 * so that a score has the same bits on every run.
 */
#pragma once

#include "core/contract.h"
#include "core/divide_up.h"

namespace ssimcu
{

constexpr int LANES = 32;
constexpr unsigned ALL_LANES = 0xffffffffu;

constexpr int TAPS = SSIMCU_TAPS;
constexpr int OPEN = TAPS - 1; /* rows that a window shares with the next, open between two rows */

enum { REF, OUT, IMAGES };      /* the frames of a pair */
enum { S, D, SS, DD, MOMENTS }; /* means of s, d, s^2 and d^2 under a window */

/* A running sum with its rounding error (Kahan), because flat frames add the same number a thousand
 * times. */
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

/* Returns the sum over all lanes, in lane 0. It is always added in the same order. */
template <class Number>
__device__ __forceinline__ Number sum_lanes(Number value)
{
#pragma unroll
    for (int step = LANES / 2; step > 0; step /= 2)
        value += __shfl_down_sync(ALL_LANES, value, step);
    return value;
}

template <class Number>
__device__ __forceinline__ Number most_of_lanes(Number value)
{
#pragma unroll
    for (int step = LANES / 2; step > 0; step /= 2)
        value = fmax(value, __shfl_down_sync(ALL_LANES, value, step));
    return value;
}

__device__ __forceinline__ double sum_lanes(const Sum &sum)
{
    return sum_lanes((double)sum.total - (double)sum.lost);
}

} // namespace ssimcu
