/* The places of a plan's samples and memory on the device, and its tasks. These are the planes
 * stage, and the SSIM stage without memory, with their numbers of values. */
#pragma once

#include "core/curve.h"
#include "kernels.h"
#include "plan/plan.h"

/* A plan's samples and memory on the device. */
struct ssimcu_cuda_place {
    struct ssimcu_samples samples[SSIMCU_PAIR];
    float *planes[SSIMCU_PAIR];                   /* planes of one pair */
    struct ssimcu_curve_range range[SSIMCU_PAIR]; /* curves of a `fixed` plan, ... */
    struct ssimcu_curve_piece *pieces;            /* ... and the pieces of both */
    double *partial;                              /* partial sums of all pairs, then cells */
    float *map;                                   /* map of one pair */
    void *metrics;                                /* metrics.h */
    struct ssimcu_samples chroma[2][SSIMCU_PAIR]; /* U and V if the plan has chroma */
    double *results;                              /* ssimcu_plan_results */
};

/* Returns the error of a call from a function that queues work. */
#define TRY_LAUNCH(call)                                                                           \
    do {                                                                                           \
        const cudaError_t error_ = (call);                                                         \
        if (error_ != cudaSuccess) return error_;                                                  \
    } while (0)

static inline size_t ssimcu_cuda_larger(size_t a, size_t b) { return a > b ? a : b; }

/* Returns the first sample of a channel of a pair's frame. */
static inline const char *ssimcu_cuda_sample(const struct ssimcu_samples *samples, uint32_t pair,
                                             uint32_t channel)
{
    return (const char *)samples->channel[channel] + pair * samples->frame_bytes;
}

/* Returns the planes stage of one side of a pair, in one pass. */
struct ssimcu_planes_task ssimcu_cuda_pixels_task(const struct ssimcu_plan *plan, uint32_t pass,
                                                  const struct ssimcu_cuda_place *place, int slot,
                                                  uint32_t pair);

/* Returns the SSIM stage of one pair on planes. */
struct ssimcu_ssim_task ssimcu_cuda_planes_task(const struct ssimcu_plan *plan);

/* Returns the SSIM stage on samples in place, for all channels in one launch or for one channel. */
struct ssimcu_ssim_task ssimcu_cuda_samples_task(const struct ssimcu_plan *plan, uint32_t channels);

/* Returns whether the first `channels` channels of both sides are equally far apart, so that one
 * launch scores them all. Sets *plane_bytes to that distance. */
int ssimcu_cuda_is_even(uint32_t channels, const struct ssimcu_samples samples[SSIMCU_PAIR],
                        int64_t *plane_bytes);

/* Returns the SSIM stage of one pair, on planes or on samples that lie like these. The stage on
 * samples covers all channels if they are even, otherwise one, and sets *plane_bytes. */
struct ssimcu_ssim_task ssimcu_cuda_score_task(const struct ssimcu_plan *plan,
                                               const struct ssimcu_samples samples[SSIMCU_PAIR],
                                               int64_t *plane_bytes);

/* Counts of values of one pair. The partial sums are rounded up to an even number, because the
 * cells of its tiles are aligned to 16 bytes. */
struct ssimcu_cuda_numbers {
    size_t sums, cells;
};

/* Returns the counts for one launch or for one launch per plane, whichever is more. Planes with
 * separate pointers may need one launch each. */
struct ssimcu_cuda_numbers ssimcu_cuda_most_numbers(const struct ssimcu_plan *plan);

/* Counts the partial sums of one pair and the cells of its tiles, for ssimcu_traits. */
size_t ssimcu_cuda_partials(const struct ssimcu_plan *plan);
