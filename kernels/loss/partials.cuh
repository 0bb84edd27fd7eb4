/* The first stage. It makes the moments of s and d under each window, its 1 - SSIM, and the partial
 * derivatives of its SSIM. A thread reads a row of samples from the ring and sums along it. It adds
 * the sums to its open windows in registers. Each row completes one window per column, whose
 * derivatives go to shared memory for the second stage. */
#pragma once

#include "loss/loss.cuh"

namespace ssimcu::loss
{

/* An origin moves if the square of a row's mean exceeds FAR times the row's variance, and exceeds
 * FAR_LEAST. */
constexpr float FAR = 16, FAR_LEAST = 1e-3f;

/* The weight that open window k has received: the sum of its taps k + 1 to 10. The compiler
 * computes it. */
struct OpenWeight {
    float of[OPEN];
    constexpr OpenWeight() : of()
    {
        constexpr double tap[TAPS] = SSIMCU_GAUSSIAN;
        for (int k = 0; k < OPEN; k++) {
            double sum = 0;
            for (int i = k + 1; i < TAPS; i++) sum += tap[i];
            of[k] = (float)sum;
        }
    }
};
__device__ constexpr OpenWeight OPEN_WEIGHT;

/* A thread's open windows of s or d. A variance is a small difference of large squares. So each
 * thread measures samples from a separate origin, which follows the picture. */
struct Moments {
    float open[2][PX][OPEN]; /* sums of samples and of their squares */
    float origin;
};

/* Moves the origin by `by`: E[(v - by)^2] = E[v^2] - 2 by E[v] + by^2. */
__device__ __forceinline__ void move_origin(Moments &moments, float by)
{
#pragma unroll
    for (int k = 0; k < OPEN; k++) {
        const float weight = by * OPEN_WEIGHT.of[k];
#pragma unroll
        for (int j = 0; j < PX; j++) {
            const float mean = moments.open[0][j][k];
            moments.open[0][j][k] = mean - weight;
            moments.open[1][j][k] = fmaf(by, fmaf(-2.0f, mean, weight), moments.open[1][j][k]);
        }
    }
    moments.origin += by;
}

/* Adds a row to the open windows. Returns the means, from the segment's origin, and the variances
 * of the windows that the row completes. */
__device__ __forceinline__ void take_moments(const float *row, Moments &moments, float (&mean)[PX],
                                             float (&variance)[PX])
{
    float sum[2][PX];
    bool moved = false;
#pragma unroll 1
    for (;;) {
        float v[READ];
        read_row(row, v);
#pragma unroll
        for (int k = 0; k < READ; k++) v[k] -= moments.origin;
        sum_row(v, sum[0]);
#pragma unroll
        for (int k = 0; k < READ; k++) v[k] *= v[k];
        sum_row(v, sum[1]);
        /* Without this, the compiler sinks some sums below the branch and recomputes their
         * samples. */
#pragma unroll
        for (int j = 0; j < PX; j++) asm volatile("" : "+f"(sum[0][j]), "+f"(sum[1][j]));
        const float by = sum[0][0], far = by * by;
        if (__builtin_expect(moved || !(far > FAR_LEAST && far > FAR * (sum[1][0] - far)), 1))
            break;
        move_origin(moments, by);
        moved = true;
    }
    take_sums(sum[0], moments.open[0], mean);
    take_sums(sum[1], moments.open[1], variance);
#pragma unroll
    for (int j = 0; j < PX; j++) {
        variance[j] = fmaf(-mean[j], mean[j], variance[j]);
        mean[j] += moments.origin;
    }
}

/* A window's contribution to the gradients. It is the derivative of its SSIM with respect to the
 * means of s and d, and twice that with respect to their mean squares. */
struct Slope {
    float means, s, d;
    float lost; /* 1 - SSIM */
};

/* SSIM is (1 - b^2 / Q) (1 - vd / T), where Q and T are the two denominators. `weight` multiplies
 * the derivatives, not `lost`. No term is a small difference of large numbers. For equal frames,
 * all terms are exactly 0 except the factor of d. */
__device__ __forceinline__ Slope slope_of(float s, float vs, float d, float vd,
                                          const float (&origin)[2], float weight)
{
    constexpr float C1 = (float)SSIMCU_C1(1.0), C2 = (float)SSIMCU_C2(1.0);
    const float a = s + origin[0], b = d + origin[1], b2 = b * b;
    const float q = fmaf(.5f, fmaf(a, a, b2), C1), t = fmaf(.5f, vs + vd, C2);
    float by_q, by_t;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(by_q) : "f"(q));
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(by_t) : "f"(t));
    const float light = b2 * by_q, structure = vd * by_t;
    Slope slope;
    slope.lost = fmaf(light, 1 - structure, structure);
    by_t *= fmaf(-light, weight, weight);
    by_q *= fmaf(-structure, weight, weight);
    slope.s = by_t * structure;
    slope.d = by_t * (structure - 2);
    slope.means = fmaf(a, by_q * light, -s * slope.s) + fmaf(b, by_q * (light - 2), -d * slope.d);
    return slope;
}

/* The columns of a thread's windows. */
struct Columns {
    bool count[PX], own[PX]; /* columns that count; those of them that the segment owns */
};

template <class C>
__device__ __forceinline__ Columns columns_at(const Launch &launch, const Segment &segment, int at)
{
    Columns columns;
#pragma unroll
    for (int i = 0; i < PX; i++) {
        const int x = segment.base + SSIMCU_RADIUS + at + i, place = at + i - SSIMCU_RADIUS;
        columns.count[i] = x >= launch.low[0] && x < launch.high[0];
        columns.own[i] = columns.count[i] && (unsigned)place < (unsigned)C::OWN;
    }
    return columns;
}

/* Runs the stage over a segment. Returns the sum of 1 - SSIM over the windows that the segment
 * owns. */
template <class C, bool GRADIENT, bool WEIGHTS>
__device__ __forceinline__ double make_partials(const Launch &launch, const Segment &segment,
                                                Shared<C> &shared, int steps)
{
    const int at = PX * threadIdx.x;
    const Columns columns = columns_at<C>(launch, segment, at);
    const float origin[2] = {shared.origin[0], shared.origin[1]};
    Moments moments[2] = {};
    double sum = 0;
    int row = segment.first - REACH - SSIMCU_RADIUS; /* row of the window that completes */
    const float *weight = launch.weights.window + segment.frame * launch.weights.frame +
                          row * launch.weights.pitch + segment.base + SSIMCU_RADIUS + at;
#pragma unroll 1
    for (int step = 0; step < steps; step++) {
        float lost = 0;
        if (step >= 2) {
            await<C>(RING_FULL + step % RING_BARRIERS);
            await<C>(PARTIALS_FREE + step % 2);
        }
#pragma unroll 1
        for (int j = 0; j < C::STEP_ROWS; j++, row++) {
            const auto &ring = shared.ring[(C::STEP_ROWS * step + j) % C::RING_ROWS];
            float mean[2][PX], variance[2][PX], to[3][PX];
#pragma unroll
            for (int side = 0; side < 2; side++)
                take_moments(&ring[side][at], moments[side], mean[side], variance[side]);
            const bool counts = row >= launch.low[1] && row < launch.high[1];
            const bool own = counts && row >= segment.first && row < segment.last;
#pragma unroll
            for (int i = 0; i < PX; i++) {
                float by = counts && columns.count[i] ? 1 : 0;
                if (WEIGHTS && launch.weights.rule != SSIMCU_LOSS_ZERO && by > 0) by = weight[i];
                const Slope slope =
                    slope_of(mean[0][i], variance[0][i], mean[1][i], variance[1][i], origin, by);
                to[0][i] = slope.means, to[1][i] = slope.s, to[2][i] = slope.d;
                if (own && columns.own[i]) lost += WEIGHTS ? by * slope.lost : slope.lost;
            }
            weight += launch.weights.pitch;
            if constexpr (GRADIENT)
#pragma unroll
                for (int m = 0; m < 3; m++)
                    *reinterpret_cast<float2 *>(&shared.slope[step % 2][j][m][at]) =
                        make_float2(to[m][0], to[m][1]);
        }
        sum += (double)lost;
        arrive<C>(PARTIALS_FULL + step % 2);
    }
    return sum;
}

} // namespace ssimcu::loss
