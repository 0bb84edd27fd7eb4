/* Steps of a plan: passes over backgrounds, the rules of each side in them, and units.
 *
 * SSIM does not change if samples, white, C1 and C2 scale together. So samples keep a power of two
 * of their own unit, which rounds nothing, and white lies above 127.5 and up to 255. Bytes thus
 * stay as they are. Beside a curve white is at most 128. */
#ifndef SSIMCU_PLAN_RULES_H
#define SSIMCU_PLAN_RULES_H

#include "plan/plan.h"

/* Sets the plan's passes, backgrounds and rules. The plan has its shape, and no pass yet. */
void ssimcu_plan_set_passes(struct ssimcu_plan *plan, const ssimcu_settings *settings,
                            const ssimcu_view pair[SSIMCU_PAIR]);

/* Sets `white` of a plan and `unit` of its rules, from its samples and rules. Sides whose
 * whites are not a power of two apart cannot both keep their units, and get a white of 255. */
void ssimcu_units_set(struct ssimcu_plan *plan);

#endif
