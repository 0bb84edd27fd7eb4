/* Metrics other than SSIM: which pairs have them, and their scores from sums. */
#pragma once

#include "core/video.h"
#include "plan/plan.h"

/* Returns whether frames of this size have a metric. */
int ssimcu_metrics_fits(ssimcu_metric metric, const struct ssimcu_shape *shape);

/* Errors: TOO_SMALL (the frames are too small for it). */
ssimcu_status ssimcu_metrics_check_size(ssimcu_metric metric, const struct ssimcu_shape *shape,
                                        ssimcu_message *message);

/* Sets *metrics to the sum of 1 << ssimcu_metric over the requested metrics that frames of this
 * size have. SSIM is requested by name, or if nothing else is. Errors: TOO_SMALL (the frames have
 * none of them), UNSUPPORTED (one does not suit the curve).
 */
ssimcu_status ssimcu_metrics_choose(const ssimcu_settings *settings,
                                    const struct ssimcu_shape *shape, unsigned *metrics,
                                    ssimcu_message *message);

/* Limits the planes of a frame to the metrics that all of them have. */
void ssimcu_metrics_share(struct ssimcu_plan *plan, uint32_t planes);

static inline int ssimcu_metrics_has(const struct ssimcu_plan *plan, ssimcu_metric metric)
{
    return plan->metrics >> metric & 1;
}

/* Joins the plans of a frame's planes to one picture if SSIMULACRA2 is requested. They must stay
 * where they are. Errors: UNSUPPORTED (the planes have no `yuv`, or are not those of video). */
ssimcu_status ssimcu_metrics_set_video(struct ssimcu_plan *plan, uint32_t planes,
                                       ssimcu_message *message);

/* Returns the conversion of one side's planes to R, G and B, if the plan has chroma. */
struct ssimcu_video_rule ssimcu_metrics_video(const struct ssimcu_plan *plan, int slot);

/* Returns the number of planes of SSIMULACRA2: three, or one if both sides are grey. It ignores
 * luma settings. */
uint32_t ssimcu_metrics_s2_planes(const struct ssimcu_plan *plan);

/* Return whether SSIMULACRA2 is scored over two greys, because the pair is scored over black and
 * over white, and a pass's grey. White is 1. */
static inline int ssimcu_metrics_s2_is_grey(const struct ssimcu_plan *plan)
{
    return plan->passes == SSIMCU_MAX_PASSES;
}
static inline double ssimcu_metrics_s2_grey(uint32_t pass) { return pass == 0 ? 0.1 : 0.9; }

/* Returns the rule of one side's pixels for SSIMULACRA2, which has no luma. If it is scored over
 * greys, the rule of light has the pass's grey as its background. Compositing of codes is linear,
 * so codes over a grey lie between those over black (pass 0) and white (pass 1). */
struct ssimcu_pixel_rule ssimcu_metrics_s2_rule(const struct ssimcu_plan *plan, uint32_t pass,
                                                uint32_t grey_pass, int slot);

/* Returns the number of windows in a row or column at a scale of MS-SSIM, counted from 0. */
uint32_t ssimcu_metrics_windows(uint32_t side, uint32_t scale);

/* Fills in the metrics of a pair whose SSIM is in *score. `sums` is NULL if none are requested. */
void ssimcu_metrics_score(const struct ssimcu_plan *plan, const struct ssimcu_metric_sums *sums,
                          ssimcu_score *score);

/* Joins the metrics in plane[], weighted by area. SSIM is already in *score. */
void ssimcu_metrics_join(const struct ssimcu_plan *plan, uint32_t planes, const ssimcu_score *plane,
                         ssimcu_score *score);
