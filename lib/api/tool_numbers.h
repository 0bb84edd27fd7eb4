/* Scores as another tool prints them (ssimcu_settings.compat): pairs of plans as the pictures of
 * code values that lib/compat takes. */
#ifndef SSIMCU_TOOL_NUMBERS_H
#define SSIMCU_TOOL_NUMBERS_H

#include "plan/plan.h"

/* Checks what goes with a tool.
 * Errors: UNSUPPORTED (a GPU, or a metric that the tool lacks). */
ssimcu_status ssimcu_tool_check(const ssimcu_settings *settings, ssimcu_message *message);

/* Replaces the wanted metrics in *score by the tool's own, if settings name one. The plans are of a
 * picture, or of the planes of a frame, and their samples lie in host memory.
 * Errors: UNSUPPORTED, TOO_SMALL, MEMORY. */
ssimcu_status ssimcu_tool_apply(const ssimcu_settings *settings, const struct ssimcu_plan *plan,
                                uint32_t plans, ssimcu_score *score, ssimcu_message *message);

#endif
