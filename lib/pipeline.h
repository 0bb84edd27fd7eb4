/* The order of the stages: the one place that knows it. Views have been checked one by one. */
#ifndef SSIMCU_PIPELINE_H
#define SSIMCU_PIPELINE_H

#include "context.h"

/* The pair's shape under the settings: planes, window positions, bytes; no map, no tiles.
 * Errors: MISMATCH, TOO_SMALL. */
ssimcu_status ssimcu_pipeline_shape(const ssimcu_settings *settings,
                                    const ssimcu_view pair[SSIMCU_PAIR], struct ssimcu_shape *shape,
                                    ssimcu_message *message);

/* Over which backgrounds a pair with alpha is scored, as bits 1 << ssimcu_background. */
unsigned ssimcu_pipeline_backgrounds(const ssimcu_settings *settings);

/* How the samples of one view of the pair become planes. */
struct ssimcu_pixel_rule ssimcu_pipeline_rule(const ssimcu_settings *settings,
                                              const ssimcu_view pair[SSIMCU_PAIR], int slot,
                                              uint32_t planes, ssimcu_background background);

/* Depth of a score of this pair. */
uint32_t ssimcu_pipeline_bits(const ssimcu_view pair[SSIMCU_PAIR]);

/* Fills in channels, channel[] and score from the sums over the planes.
 * Errors: DATA (not finite). */
ssimcu_status ssimcu_pipeline_score(const struct ssimcu_shape *shape, const double *sums,
                                    ssimcu_score *score, ssimcu_message *message);

/* Where the results go besides the score. */
struct ssimcu_wanted {
    float *map;                   /* NULL or room for the map of the reported score */
    struct ssimcu_tile_grid grid; /* width 0: no tiles */
    double *means;                /* of the grid's tiles */
};

/* Scores the pair. */
ssimcu_status ssimcu_pipeline_run(ssimcu_context *context, const ssimcu_view pair[SSIMCU_PAIR],
                                  const struct ssimcu_wanted *wanted, ssimcu_score *score,
                                  ssimcu_message *message);

/* Scores up to SSIMCU_MAX_CHANNELS planes of one channel each, waiting once; the score is their
 * mean, weighted by their areas. */
ssimcu_status ssimcu_pipeline_planes(ssimcu_context *context, uint32_t planes,
                                     ssimcu_view pair[][SSIMCU_PAIR], ssimcu_score *score,
                                     ssimcu_message *message);

#endif
