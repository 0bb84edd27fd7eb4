/* Metrics beside SSIM: which pairs have them, and what scores their sums make. */
#ifndef SSIMCU_METRICS_H
#define SSIMCU_METRICS_H

#include "core/video.h"
#include "plan/plan.h"

/* Whether frames of this size have a metric. */
int ssimcu_metrics_fits(ssimcu_metric metric, const struct ssimcu_shape *shape);

/* Errors: TOO_SMALL (the frames do not have it). */
ssimcu_status ssimcu_metrics_check_size(ssimcu_metric metric, const struct ssimcu_shape *shape,
                                        ssimcu_message *message);

/* Sets *metrics to those that the settings ask for and frames of this size have, 1 << ssimcu_metric
 * added up. SSIM is asked for by name, or if nothing else is.
 * Errors: TOO_SMALL (the frames have none of them), UNSUPPORTED (one does not go with the curve).
 */
ssimcu_status ssimcu_metrics_choose(const ssimcu_settings *settings,
                                    const struct ssimcu_shape *shape, unsigned *metrics,
                                    ssimcu_message *message);

/* Leaves the planes of a frame those metrics that all of them have. */
void ssimcu_metrics_share(struct ssimcu_plan *plan, uint32_t planes);

static inline int ssimcu_metrics_has(const struct ssimcu_plan *plan, ssimcu_metric metric)
{
    return plan->metrics >> metric & 1;
}

/* Makes one picture of the plans of a frame's planes, for SSIMULACRA2 if it is wanted. They must
 * stay where they are.
 * Errors: UNSUPPORTED (the planes do not say what they are, or are none of video). */
ssimcu_status ssimcu_metrics_set_video(struct ssimcu_plan *plan, uint32_t planes,
                                       ssimcu_message *message);

/* Returns how one side's planes make R, G and B, if the plan has chroma. */
struct ssimcu_video_rule ssimcu_metrics_video(const struct ssimcu_plan *plan, int slot);

/* Returns the planes of SSIMULACRA2: three, or one if both sides are grey. It knows no luma. */
uint32_t ssimcu_metrics_s2_planes(const struct ssimcu_plan *plan);

/* Whether SSIMULACRA2 is scored over two greys, because the pair is scored over black and over
 * white; and the grey of a pass, of which white has 1. */
static inline int ssimcu_metrics_s2_is_grey(const struct ssimcu_plan *plan)
{
    return plan->passes == SSIMCU_MAX_PASSES;
}
static inline double ssimcu_metrics_s2_grey(uint32_t pass) { return pass == 0 ? 0.1 : 0.9; }

/* Returns the rule that one side's pixels have for SSIMULACRA2: without luma. If it is scored over
 * greys, the rule of light has the pass's grey as its background. Codes are lines, so those over a
 * grey lie between those over black, pass 0, and those over white, pass 1. */
struct ssimcu_pixel_rule ssimcu_metrics_s2_rule(const struct ssimcu_plan *plan, uint32_t pass,
                                                uint32_t grey_pass, int slot);

/* Returns the windows of a scale of MS-SSIM, 0 for the first, in a row or column of a frame. */
uint32_t ssimcu_metrics_windows(uint32_t side, uint32_t scale);

/* Fills in the metrics of a pair, whose SSIM is in *score. `sums` NULL: none are wanted. */
void ssimcu_metrics_score(const struct ssimcu_plan *plan, const struct ssimcu_metric_sums *sums,
                          ssimcu_score *score);

/* Joins the metrics of planes, whose own are in plane[], by their areas. SSIM is in *score. */
void ssimcu_metrics_join(const struct ssimcu_plan *plan, uint32_t planes, const ssimcu_score *plane,
                         ssimcu_score *score);

#endif
