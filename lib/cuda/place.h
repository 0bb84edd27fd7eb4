/* Where a plan's samples and memory are on the device. */
#ifndef SSIMCU_CUDA_PLACE_H
#define SSIMCU_CUDA_PLACE_H

#include "core/curve.h"
#include "plan/plan.h"

/* A plan's samples and memory on the device. */
struct ssimcu_cuda_place {
    struct ssimcu_samples samples[SSIMCU_PAIR];
    float *planes[SSIMCU_PAIR];                   /* planes of one pair */
    struct ssimcu_curve_range range[SSIMCU_PAIR]; /* curves of a plan that is `fixed`, ... */
    struct ssimcu_curve_piece *pieces;            /* ... and the pieces of both */
    double *partial;                              /* partial sums of all pairs, then cells */
    float *map;                                   /* map of one pair */
    void *metrics;                                /* metrics.h */
    struct ssimcu_samples chroma[2][SSIMCU_PAIR]; /* U and V, if the plan has chroma */
    double *results;                              /* ssimcu_plan_results */
};

#endif
