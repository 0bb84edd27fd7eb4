/* The second stage. It fetches rows into the ring, two steps ahead of the first stage. It blurs the
 * partial derivatives from the first stage just as the first stage blurs samples. A row whose
 * windows are all complete gets its gradient, and its L1 and squared error. s and d of that row are
 * still in the ring. */
#pragma once

#include "loss/fetch.cuh"

namespace ssimcu::loss
{

struct Sums {
    float l1, mse;
};

/* The factors of the windows' sums, |d| and d^2 in the gradient. */
struct Factors {
    float ssim, l1, mse;
};

/* Returns the factors. With weights, only the device knows the divisors of the means. */
__device__ __forceinline__ Factors factors_of(const Launch &launch)
{
    double pixels = 1, windows = 1;
    if (launch.weights.pixel && launch.weights.rule != SSIMCU_LOSS_ZERO) {
        const double *const sums = launch.weights.sums;
        pixels = sums[0] > 0 ? 1 / sums[0] : 0;
        windows = sums[1] > 0 ? 1 / sums[1] : 0;
    }
    return {(float)(launch.by_ssim * windows), (float)(launch.by_l1 * pixels),
            (float)(launch.by_mse * pixels)};
}

/* A thread's place in the gradient. */
struct Place {
    int column, at;
    bool own, in_pairs;  /* its elements are floats, and one store writes both */
    char *to;            /* elements of the next row */
    const float *weight; /* weights of the same pixels */
};

/* Writes an element of the gradient. */
template <bool PLAIN>
__device__ __forceinline__ void write_element(int type, char *to, float value)
{
    if (PLAIN || type == SSIMCU_SAMPLE_F32)
        *reinterpret_cast<float *>(to) = value;
    else if (type == SSIMCU_SAMPLE_F16)
        *reinterpret_cast<__half *>(to) = __float2half_rn(value);
    else
        *reinterpret_cast<__nv_bfloat16 *>(to) = __float2bfloat16_rn(value);
}

/* Writes a thread's elements of a row of the gradient. */
template <bool PLAIN>
__device__ __forceinline__ void write_row(const ssimcu_loss_samples &to, const Place &place,
                                          int width, const float (&value)[PX])
{
    if (place.in_pairs) {
        *reinterpret_cast<float2 *>(place.to) = make_float2(value[0], value[1]);
        return;
    }
#pragma unroll
    for (int i = 0; i < PX; i++)
        if ((unsigned)(place.column + i) < (unsigned)width)
            write_element<PLAIN>(to.type, place.to + i * (PLAIN ? sizeof(float) : to.pixel),
                                 value[i]);
}

/* Makes a thread's elements of the gradient from the windows' sums, before any weights of samples.
 * Outside the frame, both samples are 0 and add nothing. */
template <class C, bool GRADIENT>
__device__ __forceinline__ void make_values(const Factors &by, const float *ring, float origin,
                                            const float (&blur)[3][PX], const float (&weight)[PX],
                                            Sums &sums, float (&value)[PX])
{
    const float2 s2 = *reinterpret_cast<const float2 *>(ring);
    const float2 d2 = *reinterpret_cast<const float2 *>(ring + C::ROW);
    const float s[PX] = {s2.x, s2.y}, d[PX] = {d2.x, d2.y};
#pragma unroll
    for (int i = 0; i < PX; i++) {
        const float diff = d[i] + origin, weighted = weight[i] * diff;
        sums.l1 += fabsf(weighted);
        sums.mse = fmaf(weighted, diff, sums.mse);
        if constexpr (!GRADIENT) continue;
        const uint32_t sign = __float_as_uint(diff) & 0x80000000u;
        const float l1 = __uint_as_float(__float_as_uint(by.l1 * weight[i]) ^ sign);
        const float plain = fmaf(by.mse, weighted, diff == 0 ? 0 : l1);
        const float all = fmaf(s[i], blur[1][i], fmaf(d[i], blur[2][i], blur[0][i]));
        value[i] = fmaf(by.ssim, all, plain);
    }
}

/* Reads the weights of a thread's elements. Without a mask, each weight is 1. */
template <bool WEIGHTS>
__device__ __forceinline__ void read_weights(const Launch &launch, const float *from, int column,
                                             float (&weight)[PX])
{
#pragma unroll
    for (int i = 0; i < PX; i++) {
        weight[i] = 1;
        if (WEIGHTS && (unsigned)(column + i) < (unsigned)launch.width) weight[i] = from[i];
    }
}

template <class C>
__device__ __forceinline__ Place place_at(const Launch &launch, const Segment &segment)
{
    Place place;
    place.at = PX * (threadIdx.x - C::STAGE_THREADS);
    place.column = segment.base + REACH + place.at;
    place.own = place.at < C::OWN;
    place.to = segment.gradient + segment.first * launch.gradient.row +
               place.column * launch.gradient.pixel;
    const ssimcu_loss_samples &to = launch.gradient;
    place.in_pairs =
        to.type == SSIMCU_SAMPLE_F32 && to.pixel == sizeof(float) &&
        (reinterpret_cast<uintptr_t>(place.to) | (uintptr_t)to.row) % sizeof(float2) == 0 &&
        place.column >= 0 && place.column + PX <= launch.width;
    place.weight = launch.weights.pixel + segment.frame * launch.weights.frame +
                   segment.first * launch.weights.pitch + place.column;
    return place;
}

template <class C, bool PLAIN, bool GRADIENT, bool WEIGHTS>
__device__ __forceinline__ void make_row(const Launch &launch, const Factors &by, const float *ring,
                                         float origin, const float (&blur)[3][PX],
                                         const Place &place, Sums &sums)
{
    const bool of_samples = WEIGHTS && launch.weights.rule == SSIMCU_LOSS_ZERO;
    float weight[PX], counts[PX], value[PX];
    read_weights<WEIGHTS>(launch, place.weight, place.column, weight);
#pragma unroll
    for (int i = 0; i < PX; i++) counts[i] = of_samples ? 1 : weight[i];
    make_values<C, GRADIENT>(by, ring, origin, blur, counts, sums, value);
    if (of_samples)
#pragma unroll
        for (int i = 0; i < PX; i++) value[i] *= weight[i];
    if constexpr (GRADIENT) write_row<PLAIN>(launch.gradient, place, launch.width, value);
}

/* Runs the stage over a segment. The rows of the first two steps are already in the ring. */
template <class C, bool PLAIN, bool GRADIENT, bool WEIGHTS>
__device__ __forceinline__ void make_gradient(const Launch &launch, const Segment &segment,
                                              Shared<C> &shared, int steps, Fetch &fetch,
                                              double &l1, double &mse)
{
    const float origin[2] = {shared.origin[0], shared.origin[1]};
    const Factors by = factors_of(launch);
    Place place = place_at<C>(launch, segment);
    float open[3][PX][OPEN] = {};
    const int before = segment.first - 2 * REACH; /* row of the gradient in step 0 */
    Fetched<C> next;
    fetch_row<C, PLAIN, WEIGHTS>(launch, fetch, next);
#pragma unroll 1
    for (int step = 0; step < steps; step++) {
        Sums sums = {};
        await<C>(PARTIALS_FULL + step % 2); /* all threads have finished the step before, too */
        store_row<C, PLAIN, WEIGHTS>(launch, next, origin,
                                     &shared.ring[C::STEP_ROWS * (step + 2) % C::RING_ROWS]);
        fetch_row<C, PLAIN, WEIGHTS>(launch, fetch, next);
        if (step + 2 < steps) arrive<C>(RING_FULL + (step + 2) % RING_BARRIERS);
        const bool begins = C::STEP_ROWS * (step + 1) > REACH; /* windows are whole now */
#pragma unroll(PLAIN ? 4 : 2)
        for (int j = begins ? 0 : C::STEP_ROWS; j < C::STEP_ROWS; j++) {
            const unsigned k = C::STEP_ROWS * step + j;
            const int row = before + (int)k;
            float blur[3][PX];
            if constexpr (GRADIENT)
#pragma unroll
                for (int m = 0; m < 3; m++) {
                    float v[READ], sum[PX];
                    read_row(&shared.slope[step % 2][j][m][place.at], v);
                    sum_row(v, sum);
                    take_sums(sum, open[m], blur[m]);
                }
            const bool there = row >= segment.first && row < segment.last;
            if (place.own && there)
                make_row<C, PLAIN, GRADIENT, WEIGHTS>(
                    launch, by, &shared.ring[(k - REACH) % C::RING_ROWS][0][REACH + place.at],
                    origin[1], blur, place, sums);
            if (there) place.to += launch.gradient.row, place.weight += launch.weights.pitch;
        }
        if (step + 2 < steps) arrive<C>(PARTIALS_FREE + step % 2);
        l1 += (double)sums.l1, mse += (double)sums.mse;
    }
}

} // namespace ssimcu::loss
