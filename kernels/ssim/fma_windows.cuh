/* A strip's rows and open windows. Rows are copied to a ring in shared memory. A lane sums along
 * them and adds the sums to its open windows. ssim_fma.cu uses this file and has the reasons. */
#pragma once

#include "core/async_copy.cuh"
#include "core/contract.h"
#include "core/fixed.h"
#include "kernels.h"
#include "ssim/ssim.cuh"

namespace ssimcu::fma
{

constexpr int LANE_PX = 4;                    /* columns per lane: 14 reads serve 4 windows */
constexpr int LANE_TAPS = LANE_PX + TAPS - 1; /* samples under them */
constexpr int STRIP_COLS = LANES * LANE_PX;   /* window positions across a strip */
constexpr int RING_ROWS = 4;                  /* 3 rows are in flight; with 8: no change */
constexpr int CHUNK_FLOATS = CHUNK_BYTES / sizeof(float);

/* An origin moves when mean^2 exceeds this times the row's spread; with 4 and 0.5: 270 us. */
constexpr float FAR_S = 16.0f, FAR_D = 1.0f;

/* The largest origin, in plane units, from which sums of two small whole numbers fit 32 bits. */
constexpr float MOST_ORIGIN = 512.0f;

__device__ constexpr float G[TAPS] = SSIMCU_GAUSSIAN;

/* The weight that open window k has received: the sum of its taps k+1 to 10. The compiler computes
 * it. */
struct OpenWeight {
    float of[OPEN];
    constexpr OpenWeight() : of()
    {
        constexpr float tap[TAPS] = SSIMCU_GAUSSIAN;
        for (int k = 0; k < OPEN; k++)
            for (int i = k + 1; i < TAPS; i++) of[k] += tap[i];
    }
};
__device__ constexpr OpenWeight OPEN_WEIGHT;

/* The place of a strip's rows in the frame. With zero padding, the first window reaches 5 columns
 * to the left. The copy starts 8 columns to the left to stay aligned, so lanes read from 3 floats
 * further on. */
template <bool ZERO_PAD>
struct Row {
    static constexpr int LEFT = ZERO_PAD ? 8 : 0;
    static constexpr int SKIP = ZERO_PAD ? LEFT - SSIMCU_RADIUS : 0;
    static constexpr int VECTORS = (SKIP + LANE_TAPS + 3) / 4; /* float4 that a lane reads */
    static constexpr int FLOATS = STRIP_COLS - LANE_PX + 4 * VECTORS;
    static constexpr int CHUNKS = FLOATS / CHUNK_FLOATS;
};

template <bool ZERO_PAD>
using Ring = float[RING_ROWS][IMAGES][Row<ZERO_PAD>::FLOATS];

/* One warp's share of the work. */
struct Strip {
    const float *plane[IMAGES];
    int index; /* number in the order of planes, rows of strips, columns of strips */
    int plane_index;
    int x0, y0;     /* first window position */
    int rows, cols; /* window positions, cols may be under STRIP_COLS at the right edge */
    bool whole;     /* no row crosses the frame's left or right edge */
};

/* 2 C1 and 2 C2, in units of the samples. */
struct Constants {
    float c1, c2;
};

/* Open windows of one column: partial sums of the four moments. */
using Partial = float[MOMENTS][OPEN];

/* Queues the copies of input row `row` of the strip. A row that no window needs queues nothing. But
 * every call closes one batch, so that waits can count batches. */
template <bool ZERO_PAD>
__device__ __forceinline__ void fetch_row(const ssimcu_ssim_task &task, const Strip &strip,
                                          Ring<ZERO_PAD> &ring, int row, int lane)
{
    if (row < strip.rows + OPEN) {
        using R = Row<ZERO_PAD>;
        const int y = strip.y0 + row - (ZERO_PAD ? SSIMCU_RADIUS : 0);
        const bool inside = !ZERO_PAD || (y >= 0 && y < task.height);
        const int64_t start = inside ? y * (task.pitch_bytes / (int)sizeof(float)) : 0;
        const int row_bytes = inside ? task.width * (int)sizeof(float) : 0;
#pragma unroll
        for (int image = 0; image < IMAGES; image++)
#pragma unroll
            for (int i = 0; i < R::CHUNKS; i += LANES) {
                const int column = (i + lane) * CHUNK_FLOATS;
                const float *from = strip.plane[image] + start;
                float *to = &ring[row % RING_ROWS][image][column];
                if (i + lane >= R::CHUNKS) continue;
                if (strip.whole && inside)
                    copy_async<CHUNK_BYTES>(to, from + strip.x0 - R::LEFT + column);
                else
                    copy_chunk_zero_fill(
                        to, from, (strip.x0 - R::LEFT + column) * (int)sizeof(float), row_bytes);
            }
    }
    __pipeline_commit();
}

/* Reads the lane's samples of one row of one image, LANE_TAPS of them from index SKIP. */
template <bool ZERO_PAD>
__device__ __forceinline__ void read_samples(const float *row, int lane,
                                             float (&sample)[4 * Row<ZERO_PAD>::VECTORS])
{
#pragma unroll
    for (int i = 0; i < Row<ZERO_PAD>::VECTORS; i++)
        *reinterpret_cast<float4 *>(&sample[4 * i]) =
            *reinterpret_cast<const float4 *>(&row[lane * LANE_PX + 4 * i]);
}

/* The contents of planes: floats, or bits of whole numbers (core/fixed.h) in the bounded or
 * unbounded form. */
enum Samples { FLOATS, FIXED, ANY_FIXED };

/* Returns s or d of two samples in plane units. Whole numbers are subtracted before any rounding,
 * unless one of them or the origin is large. */
template <Samples SAMPLES>
__device__ __forceinline__ float from_origin(float x, float y, int q, float origin)
{
    if (SAMPLES == FLOATS) return (q == S ? x + y : x - y) - origin;
    const int a = __float_as_int(x), b = __float_as_int(y);
    if (SAMPLES == ANY_FIXED &&
        (ssimcu_fixed_is_large(a) || ssimcu_fixed_is_large(b) || !(fabsf(origin) <= MOST_ORIGIN))) {
        const float v = ssimcu_fixed_float(a), w = ssimcu_fixed_float(b);
        return (q == S ? v + w : v - w) - origin;
    }
    const int from = __float2int_rn(origin * SSIMCU_FIXED_ONE);
    return __int2float_rn((q == S ? a + b : a - b) - from) * (1 / SSIMCU_FIXED_ONE);
}

/* Makes the horizontal sums of s, d, s^2 and d^2 for the lane's columns, measured from its origin.
 * `x` and `y` are the samples under them. */
template <Samples SAMPLES>
__device__ __forceinline__ void sum_row(const float *x, const float *y, const float (&origin)[2],
                                        float (&h)[LANE_PX][MOMENTS])
{
#pragma unroll
    for (int i = 0; i < LANE_TAPS; i++) {
        const float s = from_origin<SAMPLES>(x[i], y[i], S, origin[S]);
        const float d = from_origin<SAMPLES>(x[i], y[i], D, origin[D]);
        const float value[MOMENTS] = {s, d, s * s, d * d};
#pragma unroll
        for (int j = 0; j < LANE_PX; j++) {
            const int tap = i - j;
            if (tap < 0 || tap >= TAPS) continue;
#pragma unroll
            for (int m = 0; m < MOMENTS; m++)
                h[j][m] = tap == 0 ? G[0] * value[m] : fmaf(G[tap], value[m], h[j][m]);
        }
    }
}

/* Returns whether a sample of the lane or its origin is too large for whole numbers. */
__device__ __forceinline__ bool has_large(const float *x, const float *y, const float (&origin)[2])
{
    unsigned any = 0;
#pragma unroll
    for (int i = 0; i < LANE_TAPS; i++)
        any |= (__float_as_uint(x[i]) + SSIMCU_FIXED_LARGE) |
               (__float_as_uint(y[i]) + SSIMCU_FIXED_LARGE);
    return any >= 2u * SSIMCU_FIXED_LARGE || !(fabsf(origin[S]) <= MOST_ORIGIN) ||
           !(fabsf(origin[D]) <= MOST_ORIGIN);
}

/* Reads a row and makes its sums. */
template <bool ZERO_PAD, Samples SAMPLES>
__device__ __forceinline__ void blur_row(const float (*row)[Row<ZERO_PAD>::FLOATS], int lane,
                                         const float (&origin)[2], float (&h)[LANE_PX][MOMENTS])
{
    constexpr int SKIP = Row<ZERO_PAD>::SKIP;
    __align__(16) float x[4 * Row<ZERO_PAD>::VECTORS], y[4 * Row<ZERO_PAD>::VECTORS];
    read_samples<ZERO_PAD>(row[REF], lane, x);
    read_samples<ZERO_PAD>(row[OUT], lane, y);
    if (SAMPLES == ANY_FIXED && __any_sync(ALL_LANES, has_large(x + SKIP, y + SKIP, origin)))
        sum_row<ANY_FIXED>(x + SKIP, y + SKIP, origin, h);
    else
        sum_row<SAMPLES == ANY_FIXED ? FIXED : SAMPLES>(x + SKIP, y + SKIP, origin, h);
}

/* Adds this row to the windows that stay open, which move up by one. */
__device__ __forceinline__ void rotate(Partial &open, const float (&h)[MOMENTS])
{
#pragma unroll
    for (int m = 0; m < MOMENTS; m++) {
#pragma unroll
        for (int k = 0; k < OPEN - 1; k++) open[m][k] = fmaf(G[k + 1], h[m], open[m][k + 1]);
        open[m][OPEN - 1] = G[OPEN] * h[m];
    }
}

/* Returns whether a row's mean lies far from the origin, relative to the row's spread. */
__device__ __forceinline__ bool is_far(const float (&h)[MOMENTS], const Constants &twice)
{
    const float ss = h[S] * h[S], dd = h[D] * h[D];
    const float spread = (h[SS] - ss) + (h[DD] - dd) + twice.c2;
    return ss > FAR_S * spread || dd > FAR_D * spread;
}

/* The data of a window that tiles need besides its score. */
struct Window {
    float mean_d, var_s, var_d;
};

/* Returns 1 - SSIM of the window that ends on a row, and its data for tiles. The quotient is within
 * 2 units in the last place, and it is itself the difference from 1. */
__device__ __forceinline__ float dissimilarity(const Partial &open, const float (&h)[MOMENTS],
                                               const float (&origin)[2], const Constants &twice,
                                               Window &window)
{
    float moment[MOMENTS];
#pragma unroll
    for (int m = 0; m < MOMENTS; m++) moment[m] = fmaf(G[0], h[m], open[m][0]);
    const float var_s = fmaf(-moment[S], moment[S], moment[SS]);
    const float var_d = fmaf(-moment[D], moment[D], moment[DD]);
    const float mean_s = moment[S] + origin[S], mean_d = moment[D] + origin[D];
    window = {mean_d, var_s, var_d};
    const float a = fmaf(mean_s, mean_s, twice.c1);
    const float b = var_s + twice.c2;
    const float dd = mean_d * mean_d;
    const float spread = b + var_d;
    return __fdividef(2.0f * fmaf(a, var_d, b * dd), (a + dd) * spread);
}

/* Moves the lane's origin by `step` and restates its open windows from the new origin. With W the
 * weight received, sum g (q - t) = P - t W and sum g (q - t)^2 = P2 - 2 t P + t^2 W. */
__device__ __forceinline__ void move_origin(Partial (&open)[LANE_PX], float (&origin)[2],
                                            float step_s, float step_d)
{
    const float step[2] = {step_s, step_d};
#pragma unroll
    for (int q = 0; q < 2; q++) {
        origin[q] += step[q];
#pragma unroll
        for (int j = 0; j < LANE_PX; j++)
#pragma unroll
            for (int k = 0; k < OPEN; k++) {
                const float shift = step[q] * OPEN_WEIGHT.of[k];
                const float twice = fmaf(-2.0f, open[j][S + q][k], shift);
                open[j][SS + q][k] = fmaf(step[q], twice, open[j][SS + q][k]);
                open[j][S + q][k] -= shift;
            }
    }
}

} // namespace ssimcu::fma
