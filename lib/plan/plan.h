/* A plan describes the work of a comparison. It is computed once, from the shapes, layouts and
 * types of the pair, the settings, the device and the requested outputs. It holds the passes over
 * backgrounds, the rule that converts each side's samples to planes, the kernel, and the memory.
 * Pairs in host memory, planes of video frames and requests in device memory all use plans. A
 * backend reserves the plan's memory, submits it and collects the results. Plans are plain
 * arithmetic, so tests check them without a device. */
#pragma once

#include "core/contract.h"
#include "core/light.h"
#include "core/pixel.h"
#include "core/samples.h"
#include "core/ssimulacra2.h"
#include "core/tile_grid.h"
#include "ssimcu.h"

enum { SSIMCU_REF = 0, SSIMCU_OUT = 1, SSIMCU_PAIR = 2 };
enum { SSIMCU_MAX_PASSES = 2 };

/* The shape of each pair. */
struct ssimcu_shape {
    uint32_t width, height;         /* pixels of both frames */
    uint32_t planes;                /* planes that are scored, 1 or 3 */
    uint32_t map_width, map_height; /* window positions; both 0: no SSIM */
    int zero_pad;
};

enum ssimcu_kernel {
    SSIMCU_KERNEL_SAMPLES, /* reads samples in place, without a planes stage */
    SSIMCU_KERNEL_TENSOR,  /* planes, on the tensor cores */
    SSIMCU_KERNEL_PLAIN    /* planes, without tensor cores */
};

struct ssimcu_plan;

/* The traits of a device that a plan depends on. */
struct ssimcu_traits {
    int reads_samples; /* the device's kernel reads samples of any kind in place */
    int uploads;       /* samples in host memory are copied to device memory, without padding */
    int has_tensor_cores;
    uint32_t row_floats; /* rows of planes and of the map start at multiples of this many floats */
    size_t (*partials)(const struct ssimcu_plan *plan); /* partial sums and cells of a pair */
};

/* Bytes of each part of the memory. Pairs and passes follow each other, so they share all parts
 * except the results. */
struct ssimcu_plan_bytes {
    size_t samples[SSIMCU_PAIR]; /* one frame without padding */
    size_t planes;               /* planes of one side; 0: no planes stage */
    size_t partial;              /* partial sums of all pairs */
    size_t map;                  /* map of one pair; 0: not requested */
    size_t results; /* means of tiles of all passes and pairs, which a GPU writes in whole lines;
                       then sums, sums of metrics, and counts */
};

/* Sums of further metrics of one pair. They are doubles only, among the other results. */
struct ssimcu_metric_sums {
    double squares[SSIMCU_MAX_PASSES][SSIMCU_MAX_CHANNELS]; /* PSNR: of REF - OUT, plane units */
    /* MS-SSIM: 1 - contrast times structure of each window, at the last scale 1 - SSIM. */
    double lost[SSIMCU_MAX_PASSES][SSIMCU_MAX_CHANNELS][SSIMCU_MS_SCALES];
    double norms[SSIMCU_MAX_PASSES][SSIMCU_S2_SCALES][SSIMCU_S2_CHANNELS][SSIMCU_S2_SUMS];
};

struct ssimcu_plan {
    struct ssimcu_shape shape;
    uint32_t pairs;
    unsigned metrics; /* sum of 1 << ssimcu_metric: requested metrics except SSIM */
    /* SSIMULACRA2 of a Y plane: the plans of U and V, in this order; NULL: not video, or grey. */
    const struct ssimcu_plan *chroma;
    ssimcu_yuv yuv[SSIMCU_PAIR];
    uint32_t passes; /* number of backgrounds that each pair is scored over */
    ssimcu_background background[SSIMCU_MAX_PASSES];
    struct ssimcu_pixel_rule rule[SSIMCU_MAX_PASSES][SSIMCU_PAIR];
    struct ssimcu_samples host[SSIMCU_PAIR];        /* the pair's place in host memory */
    struct ssimcu_samples samples[SSIMCU_PAIR];     /* the pair as kernels read it; CPU: the same */
    struct ssimcu_light_bounds bounds[SSIMCU_PAIR]; /* bounds of sides whose light is on */
    uint32_t bits;                                  /* depth of the score */
    double white;                                   /* white in plane units (plan_rules.h) */
    int fixed;   /* samples are multiples of 2^-21 (core/fixed.h): under a curve, or in planes that
                  * a GPU computes */
    int bounded; /* no sample in the planes can leave 0..white, or the end of a curve */
    int want_map;
    struct ssimcu_tile_grid grid; /* width 0: no tiles */
    enum ssimcu_kernel kernel;
    int64_t planes_pitch, map_pitch; /* floats from one row to the next */
    struct ssimcu_plan_bytes bytes;
};

/* Results of a plan. sums[pass][pair][plane] are sums of 1 - SSIM. means[pass][pair] are the values
 * of tiles (core/tile_grid.h). counts[pair][SSIMCU_PAIR] count unusual float samples.
 */
struct ssimcu_results {
    const double *sums, *means;
    const struct ssimcu_metric_sums *metrics; /* of each pair; NULL: not requested */
    const struct ssimcu_light_counts *counts;
};

/* Makes the plan of a pair of checked views, or of a batch of such pairs. If the views have data,
 * it must be host memory, and alpha that is opaque everywhere is ignored. If they have no data,
 * alpha counts. `tiles` is the caller's, or NULL. Only its width, its height and the presence of
 * memory for features are read.
 *
 * Errors: MISMATCH, TOO_SMALL, ARGUMENT (tiles). */
ssimcu_status ssimcu_plan_make(struct ssimcu_plan *plan, const ssimcu_settings *settings,
                               const struct ssimcu_traits *traits,
                               const ssimcu_view pair[SSIMCU_PAIR], const ssimcu_tiles *tiles,
                               ssimcu_message *message);

/* Reduces the plan to one of its passes, and adds the map of that pass. */
void ssimcu_plan_add_map(struct ssimcu_plan *plan, const struct ssimcu_traits *traits,
                         uint32_t pass);

/* Returns whether the pair has SSIM. It has none if it is too small, or if SSIM is not
 * requested. */
static inline int ssimcu_plan_has_ssim(const struct ssimcu_plan *plan)
{
    return plan->shape.map_width > 0;
}

/* Changes the plan as if ssimcu_plan_make had chosen that kernel, for benchmarks. */
void ssimcu_plan_use_kernel(struct ssimcu_plan *plan, const struct ssimcu_traits *traits,
                            enum ssimcu_kernel kernel);

/* Changes the plan to one pair of this size in host memory, without padding and without an address,
 * which the same kernels score. The caller fills in host[].channel. */
void ssimcu_plan_resize(struct ssimcu_plan *plan, const struct ssimcu_traits *traits,
                        uint32_t width, uint32_t height);

/* Changes the plan of samples in host memory to one for the CPU, which has these traits. */
void ssimcu_plan_move(struct ssimcu_plan *plan, const struct ssimcu_traits *traits);

/* Returns whether the tiles, which have been read, have memory for a feature. */
int ssimcu_plan_wants_features(const ssimcu_tiles *tiles);

size_t ssimcu_plan_tiles(const struct ssimcu_plan *plan); /* tiles of a frame; 0: not requested */
size_t ssimcu_plan_means_of_pair(const struct ssimcu_plan *plan); /* doubles, in one pass */
size_t ssimcu_plan_sums(const struct ssimcu_plan *plan);          /* sums of all passes and pairs */
int ssimcu_plan_counts(const struct ssimcu_plan *plan);           /* non-zero: samples are
                                                                     counted */

/* Returns the results that start at `start`, laid out like bytes.results. */
struct ssimcu_results ssimcu_plan_results(const struct ssimcu_plan *plan, const void *start);

/* Fails with DATA. The message has the number of samples of each side that are not finite, and the
 * place of the first. */
ssimcu_status ssimcu_plan_not_finite(const struct ssimcu_plan *plan,
                                     const struct ssimcu_light_counts counts[SSIMCU_PAIR],
                                     ssimcu_message *message);

/* Sets *score to that of one pair, the lowest of its passes; *kept is the index of that pass. Sets
 * all of *score except the times. SSIM is NaN if the pair has none.
 *
 * Errors: DATA (not finite). */
ssimcu_status ssimcu_plan_score(const struct ssimcu_plan *plan,
                                const struct ssimcu_results *results, uint32_t pair,
                                ssimcu_score *score, uint32_t *kept, ssimcu_message *message);

/* Returns the scores of one pair's tiles in one pass. After them come the level shifts, plane by
 * plane, and then each of the features, as floats (ssimcu_tile_features). */
const double *ssimcu_plan_means(const struct ssimcu_plan *plan,
                                const struct ssimcu_results *results, uint32_t pair, uint32_t pass);
