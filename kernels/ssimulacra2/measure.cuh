/* Moments of a window -> the six sums of a channel. They are of the SSIM error, of artefacts and of
 * lost detail, each of the value and of its fourth power.
 *
 * In the definition x and y are the frames, m their means:
 *   ssim = 1 - (1 - (mx - my)^2) (2 cov + C2) / (var x + var y + C2)
 *   edge = (1 + |y - my|) / (1 + |x - mx|) - 1, above 0 an artefact, below 0 lost detail.
 * With s = (x + y) / 2, d = (x - y) / 2 and D = mx - my:
 *   ssim = D^2 + (1 - D^2) 2 var d / (var s + var d + C2 / 2)
 * which is exactly 0 if d is 0, and not a difference of large numbers. */
#pragma once

#include "ssimulacra2/xyb.cuh"

namespace ssimcu::s2
{

constexpr int SUMS = SSIMCU_S2_SUMS;
constexpr float HALF_C2 = (float)(SSIMCU_S2_C2 / 2) * UNIT * UNIT;

/* Adds a pixel if `keep` is set. mean_d: mean of d; var_s, var_d: SHARE times the variances,
 * perhaps rounded to less than 0; to_s and to_d: the pixel's s and d minus their means. */
__device__ __forceinline__ void add_pixel(float (&sum)[SUMS], bool keep, float mean_d, float var_s,
                                          float var_d, float half_c2, float to_s, float to_d)
{
    var_s = fmaxf(var_s, 0.0f);
    var_d = fmaxf(var_d, 0.0f);
    const float square = mean_d * (mean_d * (4 / (UNIT * UNIT)));
    const float share = var_d * reciprocal_of(var_s + var_d + half_c2);
    const float ssim = keep ? fmaf(fmaf(square, -2.0f, 2.0f), share, square) : 0;
    const float ref = fabsf(to_s + to_d), out = fabsf(to_s - to_d);
    const float edge = keep ? (out - ref) * reciprocal_of(UNIT + ref) : 0;
    const float artefact = fmaxf(edge, 0.0f), lost = artefact - edge;
    const float ssim2 = ssim * ssim, artefact2 = artefact * artefact, lost2 = lost * lost;
    sum[0] += ssim;
    sum[1] = fmaf(ssim2, ssim2, sum[1]);
    sum[2] += artefact;
    sum[3] = fmaf(artefact2, artefact2, sum[3]);
    sum[4] += lost;
    sum[5] = fmaf(lost2, lost2, sum[5]);
}

/* Returns the sum over a warp in its first lane. */
__device__ __forceinline__ float warp_sum(float v)
{
#pragma unroll
    for (int half = LANES / 2; half > 0; half /= 2) v += __shfl_down_sync(~0u, v, half);
    return v;
}

} // namespace ssimcu::s2
