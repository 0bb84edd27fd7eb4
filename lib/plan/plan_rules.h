/* Steps of a plan: passes over backgrounds, the rules of each side in them, and units.
 *
 * SSIM does not change if samples, white, C1 and C2 scale together. So each side's unit is scaled
 * by a power of two, which rounds nothing, until white lies above 127.5 and up to 255. Bytes thus
 * stay unchanged. If the other side has a curve, white is at most 128. */
#pragma once

#include "plan/plan.h"

/* Sets the plan's passes, backgrounds and rules. The plan must have its shape, and no pass yet. */
void ssimcu_plan_set_passes(struct ssimcu_plan *plan, const ssimcu_settings *settings,
                            const ssimcu_view pair[SSIMCU_PAIR]);

/* Sets `white` of a plan and `unit` of its rules, from its samples and rules. Sides whose whites do
 * not differ by a power of two cannot both keep their units, and get a white of 255. */
void ssimcu_units_set(struct ssimcu_plan *plan);
