/* Reproduces the scores of another tool (ssimcu_settings.compat): converts pairs of plans to the
 * pictures of code values that lib/compat takes. */
#pragma once

#include "plan/plan.h"

/* Checks that the settings suit a tool. Errors: UNSUPPORTED (a GPU, or a metric that the tool
 * lacks). */
ssimcu_status ssimcu_tool_check(const ssimcu_settings *settings, ssimcu_message *message);

/* Replaces the requested metrics in *score by the tool's, if the settings name one. The plans are
 * those of a picture or of the planes of a frame, with samples in host memory. Errors: UNSUPPORTED,
 * TOO_SMALL, MEMORY. */
ssimcu_status ssimcu_tool_apply(const ssimcu_settings *settings, const struct ssimcu_plan *plan,
                                uint32_t plans, ssimcu_score *score, ssimcu_message *message);
