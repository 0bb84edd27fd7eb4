/* The order of the stages: the one place that knows it. */
#ifndef SSIMCU_PIPELINE_H
#define SSIMCU_PIPELINE_H

#include "context.h"

/* The pair's shape under the context's settings: planes, window positions, bytes.
 * Errors: MISMATCH, TOO_SMALL. The frames have been checked one by one. */
ssimcu_status ssimcu_pipeline_shape(const ssimcu_context *context, const ssimcu_frame *ref,
                                    const ssimcu_frame *out, struct ssimcu_shape *shape,
                                    ssimcu_message *message);

/* Scores the pair; `map` is NULL or room for the map of the reported score. */
ssimcu_status ssimcu_pipeline_run(ssimcu_context *context, const ssimcu_frame *ref,
                                  const ssimcu_frame *out, ssimcu_score *score, float *map,
                                  ssimcu_message *message);

#endif
