/* The cost of rounding on the tensor cores, and the origin that keeps it small.
 *
 * A pair of windows that costs less than FAR needs no test. If a tile has costlier windows, their
 * total cost counts (is_excused). A score is a mean, and most pictures have few such tiles, so they
 * stay as they are. If there are too many, the tile is repeated from a better origin. Each element
 * of a map has a promised accuracy, so with a map no tile is excused.
 */
#pragma once

#include "ssim/cut.h"
#include "ssim/tensor/mma_f16.cuh"
#include "ssim/tensor/origin.cuh"
#include "ssim/tensor/strip.cuh"

namespace ssimcu::tensor
{

/* Limits of the cost of rounding, see dissimilarity(). One applies at home, one away from home,
 * where costs are not added up, and one to the share of d. AREA_SS is AREA for the squares of s.
 *
 * The tensor cores always truncate, so rounding is a bias, not noise. A mean of squares loses less
 * than a squared mean, both of whose factors are truncated. On tensor cores of compute capability
 * 9.0, the two differ by 0.8 to 1.9 units in the last place of AREA. That is the range of the
 * averages of three photos, text, a cartoon, grain, a ramp and patches. AREA_SS corrects one unit.
 *
 * The remaining bias depends on the last places of the sums, hence on the level. Flat frames under
 * noise are off by up to 7e-8 of the score per unit of cost, up on one level and down on the next.
 * home_of() removes half of that, and nearly all for text. Words lose more than bytes. Devices
 * other than 9.0 truncate in other places. Until they are measured, they repeat more, and so do
 * unbounded samples. Under a curve, a limit of 28 left 2.1e-6 of a score; 8 leaves 8.4e-7, at no
 * cost. */
#if __CUDA_ARCH__ == 900
constexpr float AREA_SS = AREA * (1 - 0x1p-24f);
template <class Loader>
constexpr float FAR_HOME = Loader::FAR;
template <class Loader>
constexpr float FAR_AWAY = Loader::FAR <= 8 ? 8
                           : Loader::EXACT  ? 20
                                            : 12;
#else
constexpr float AREA_SS = AREA;
template <class Loader>
constexpr float FAR_HOME = 8;
template <class Loader>
constexpr float FAR_AWAY = 8;
#endif
template <class Loader>
constexpr float D_WEIGHT = FAR_HOME<Loader> / 8; /* the part from d may cost 8 at home */

/* The average cost allowed to a strip's tiles with windows beyond FAR. Noise near this limit leaves
 * 7e-7 of a frame's score (test_ssim_flat.c). Twice the allowance leaves more than the promised
 * 1e-6. */
template <class Loader>
constexpr float ALLOWANCE = FAR_HOME<Loader> *(Loader::EXACT ? 1 : 1.0f / 3) * 2 * LANES;

/* Returns the first origin of a strip: roughly half the range. No sample is further away than 144,
 * and the cost of rounding grows with the square of the distance. */
template <class Loader>
__device__ __forceinline__ float home_of(const Strip &strip, const Cut &cut)
{
    constexpr int SPREAD = 32;
    const float home =
        HOME + (float)((strip.column * 19 + strip.y0 / TILE_ROWS * 3) % SPREAD - SPREAD / 2);
    return Loader::FLOATS ? home * cut.home : home;
}

/* The values of set_white() for bytes. */
constexpr float SCALED_C1 = (float)(SSIMCU_C1(SSIMCU_PEAK) / 2 * AREA * AREA);
constexpr float SCALED_C2 = (float)(SSIMCU_C2(SSIMCU_PEAK) / 2 * AREA * AREA);

/* (1 - SSIM) / 2 of 4 windows as fractions, and their data for features of tiles. Rounding costs a
 * pair of them risk / spread. */
struct Fractions {
    float top[4], bottom[4];
    float mean_d[4], var_d[4];
    float texture[4]; /* var(s) + var(d) + 2 C2 */
    float risk[2], spread[2];
    bool far[2];
};

/* Returns the fractions of 4 windows. A moment about the origin is off by e = 2^-22 or so of
 * itself. So b is off by e mean(s)^2, and v by e mean(d)^2. In 1 - SSIM that is e (mean(s)^2 v +
 * mean(d)^2 b) / (b + v)^2. The test bounds this for two neighbouring windows at once. It uses
 * E[d^2] instead of v, because v may be too small. */
template <class Loader, bool WIDE>
__device__ __forceinline__ Fractions dissimilarity(const float (&moment)[MOMENTS][4],
                                                   const Origin &origin, const Cut &cut, float far)
{
    const float units = WIDE ? origin.shrink * origin.shrink : 1;
    const float c1 = (Loader::WHITE_255 ? SCALED_C1 : cut.scaled_c1) * units;
    const float c2 = (Loader::WHITE_255 ? SCALED_C2 : cut.scaled_c2) * units;
    Fractions f;
    float spread[4];
    const float from_s = origin.s * AREA, from_d = origin.d * AREA;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const float s = moment[S][i], d = moment[D][i];
        float b = fmaf(AREA_SS, moment[SS][i], fmaf(-s, s, c2));
        float v = fmaf(AREA, moment[DD][i], -(d * d));
        if (WIDE) b = b < c2 ? c2 : b, v = v < 0 ? 0 : v; /* NaN stays */
        const float mean_s = s + from_s, mean_d = d + from_d;
        const float a = fmaf(mean_s, mean_s, c1), dd = mean_d * mean_d;
        spread[i] = b + v;
        f.mean_d[i] = mean_d;
        f.var_d[i] = v;
        f.texture[i] = spread[i];
        f.top[i] = fmaf(a, v, b * dd);
        f.bottom[i] = (a + dd) * spread[i];
    }
#pragma unroll
    for (int h = 0; h < 2; h++) {
        const int i = 2 * h;
        const float s = moment[S][i], d = moment[D][i];
        const float risk_s = s * s * (moment[DD][i] + moment[DD][i + 1]);
        f.risk[h] = fmaf(D_WEIGHT<Loader> * d * d, spread[i] + spread[i + 1], risk_s);
        f.spread[h] = spread[i] * spread[i + 1];
        f.far[h] = !(f.risk[h] <= far * f.spread[h]); /* true for NaN, too */
    }
    return f;
}

__device__ __forceinline__ bool any_far(const bool (&far)[2])
{
    return __any_sync(ALL_LANES, far[0] || far[1]);
}

/* Returns whether all windows of a tile measured from home count, because the strip's allowance
 * still covers their cost. (At home a spread is never below 2 C2 by more than rounding, so no
 * spread is negative.) */
template <class Loader>
__device__ __forceinline__ bool is_excused(const Fractions &f, float &left)
{
    float cost = f.risk[0] * reciprocal(f.spread[0]) + f.risk[1] * reciprocal(f.spread[1]);
#pragma unroll
    for (int lane = LANES / 2; lane > 0; lane /= 2) cost += __shfl_xor_sync(ALL_LANES, cost, lane);
    if (!(cost <= left)) return false;
    left -= cost;
    return true;
}

/* Returns whether the pending windows of the first of `lanes` are finite. */
__device__ __forceinline__ bool is_finite(const float (&moment)[MOMENTS][4], const bool (&todo)[2],
                                          unsigned lanes)
{
    const float first = (moment[SS][0] + moment[SS][1]) + (moment[DD][0] + moment[DD][1]);
    const float second = (moment[SS][2] + moment[SS][3]) + (moment[DD][2] + moment[DD][3]);
    return isfinite(__shfl_sync(ALL_LANES, todo[0] ? first : second, __ffs(lanes) - 1));
}

/* Measures in larger units, or returns false if they already are the largest. */
__device__ __forceinline__ bool shrink(Origin &origin)
{
    constexpr float STEP = 1.0f / 4, LEAST = 1.0f / 65536;
    if (origin.shrink <= LEAST) return false;
    origin.shrink *= STEP;
    origin.set(origin.s * STEP, origin.d * STEP);
    return true;
}

/* Moves the origin. It returns home, unless it is there or the tile was already done from there.
 * Otherwise it moves to a far window of the first of `lanes`. Returns the limit of cost that is far
 * from there. */
template <class Loader, bool WIDE>
__device__ __forceinline__ float move_origin(Origin &origin, float home,
                                             const float (&moment)[MOMENTS][4],
                                             const bool (&todo)[2], unsigned lanes, bool is_repeat)
{
    const int from = __ffs(lanes) - 1;
    const float s = todo[0] ? moment[S][0] : moment[S][2];
    const float d = todo[0] ? moment[D][0] : moment[D][2];
    const float more = WIDE ? origin.shrink : 1, less = 1 / more;
    const float new_s = origin.s + rintf(__shfl_sync(ALL_LANES, s, from) * (RESCALE * less)) * more;
    const float new_d = origin.d + rintf(__shfl_sync(ALL_LANES, d, from) * (RESCALE * less)) * more;
    const bool goes_home = !WIDE && !is_repeat && !origin.is(home, 0);
    origin.set(goes_home ? home : new_s, goes_home ? 0 : new_d);
    return goes_home ? FAR_HOME<Loader> : FAR_AWAY<Loader>;
}

/* The repeats of a tile after which its windows count as they are. With large units, rounding may
 * keep a window far. For every other window, a new origin at it, or a larger unit, settles it. */
constexpr int MOST_REPEATS = LANES * 2 + 8;

} // namespace ssimcu::tensor
