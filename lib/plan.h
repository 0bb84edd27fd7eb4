/* What a comparison will run, worked out once. From what is given (shapes, layouts and types), the
 * settings, the device and what is wanted follow: the passes over backgrounds, the rule by which
 * each side's samples become planes, the kernel, and the memory. A pair in host memory, the planes
 * of a video frame and a request in device memory are all run by such a plan: a backend reserves
 * what it says, submits it and collects the results. Plain arithmetic, so that tests look at plans
 * without a device. */
#ifndef SSIMCU_PLAN_H
#define SSIMCU_PLAN_H

#include "core/contract.h"
#include "core/light.h"
#include "core/pixel.h"
#include "core/samples.h"
#include "core/tile_grid.h"
#include "ssimcu.h"

enum { SSIMCU_REF = 0, SSIMCU_OUT = 1, SSIMCU_PAIR = 2 };
enum { SSIMCU_MAX_PASSES = 2 };

/* Of each pair. */
struct ssimcu_shape {
    uint32_t width, height;         /* of both frames */
    uint32_t planes;                /* scored, 1 or 3 */
    uint32_t map_width, map_height; /* window positions */
    int zero_pad;
};

enum ssimcu_kernel {
    SSIMCU_KERNEL_SAMPLES, /* reads the samples where they lie: there is no planes stage */
    SSIMCU_KERNEL_TENSOR,  /* float planes, on the tensor cores */
    SSIMCU_KERNEL_PLAIN    /* float planes, without them */
};

struct ssimcu_plan;

/* What a plan depends on of the device. */
struct ssimcu_traits {
    int reads_samples; /* its kernel reads samples of any kind where they lie */
    int uploads;       /* samples of host memory are copied to its own, without padding */
    int has_tensor_cores;
    uint32_t row_floats; /* rows of planes and of the map start at multiples of so many floats */
    size_t (*partials)(const struct ssimcu_plan *plan); /* partial sums of one pair, and of
                                                           its tiles */
};

/* Bytes of each part of the memory. Pairs and passes follow each other, so that they share all but
 * the results. */
struct ssimcu_plan_bytes {
    size_t samples[SSIMCU_PAIR]; /* one frame without padding */
    size_t planes;               /* of one side; 0: there is no planes stage */
    size_t partial;              /* of all pairs */
    size_t map;                  /* of one pair; 0: it is not wanted */
    size_t results;              /* of all passes and pairs: sums, then means of the tiles, then
                                    counts, where samples are counted */
};

struct ssimcu_plan {
    struct ssimcu_shape shape;
    uint32_t pairs;
    uint32_t passes; /* over how many backgrounds each pair is scored */
    ssimcu_background background[SSIMCU_MAX_PASSES];
    struct ssimcu_pixel_rule rule[SSIMCU_MAX_PASSES][SSIMCU_PAIR];
    struct ssimcu_samples host[SSIMCU_PAIR];        /* where the pair lies, in host memory */
    struct ssimcu_samples samples[SSIMCU_PAIR];     /* as kernels find it; CPU: the same */
    struct ssimcu_light_bounds bounds[SSIMCU_PAIR]; /* of sides whose light is on */
    uint32_t bits;                                  /* depth of the score */
    int bounded;                                    /* no sample can leave 0..255 in the planes */
    int want_map;
    struct ssimcu_tile_grid grid; /* width 0: no tiles */
    enum ssimcu_kernel kernel;
    int64_t planes_pitch, map_pitch; /* floats from a row to the next */
    struct ssimcu_plan_bytes bytes;
};

/* Results of a plan: [pass][pair][plane] sums of 1 - SSIM, [pass][pair][tile] means of the map,
 * [pair][SSIMCU_PAIR] counts of what float samples hold. */
struct ssimcu_results {
    const double *sums, *means;
    const struct ssimcu_light_counts *counts;
};

/* The plan of a pair of checked views, or of a batch of such pairs. Where the views have data, it
 * is host memory, and alpha that is opaque everywhere counts as none; where they have none, alpha
 * counts. `tiles`: the caller's, NULL where none are wanted; only their width and height are read.
 * Errors: MISMATCH, TOO_SMALL, ARGUMENT (tiles). */
ssimcu_status ssimcu_plan_make(struct ssimcu_plan *plan, const ssimcu_settings *settings,
                               const struct ssimcu_traits *traits,
                               const ssimcu_view pair[SSIMCU_PAIR], const ssimcu_tiles *tiles,
                               ssimcu_message *message);

/* Narrows the plan to one of its passes and asks for the map of it. */
void ssimcu_plan_add_map(struct ssimcu_plan *plan, const struct ssimcu_traits *traits,
                         uint32_t pass);

size_t ssimcu_plan_tiles(const struct ssimcu_plan *plan); /* of a frame; 0: none are wanted */
size_t ssimcu_plan_sums(const struct ssimcu_plan *plan);  /* of all passes and pairs */
int ssimcu_plan_counts(const struct ssimcu_plan *plan);   /* whether samples are counted */

/* The results that start there, as bytes.results is laid out. */
struct ssimcu_results ssimcu_plan_results(const struct ssimcu_plan *plan, const void *start);

/* DATA, and a message that says how many samples of each side are not finite and where the first
 * is. */
ssimcu_status ssimcu_plan_not_finite(const struct ssimcu_plan *plan,
                                     const struct ssimcu_light_counts counts[SSIMCU_PAIR],
                                     ssimcu_message *message);

/* The score of one pair: the lowest of its passes; *kept says which that is. Sets all of *score but
 * the times. Errors: DATA (not finite). */
ssimcu_status ssimcu_plan_score(const struct ssimcu_plan *plan,
                                const struct ssimcu_results *results, uint32_t pair,
                                ssimcu_score *score, uint32_t *kept, ssimcu_message *message);

/* Where the means of one pair's tiles start, of one pass. */
const double *ssimcu_plan_means(const struct ssimcu_plan *plan,
                                const struct ssimcu_results *results, uint32_t pair, uint32_t pass);

#endif
