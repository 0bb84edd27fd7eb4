/* Passes over backgrounds, and the rules of each side in them. */
#ifndef SSIMCU_PLAN_RULES_H
#define SSIMCU_PLAN_RULES_H

#include "plan/plan.h"

/* Sets the plan's passes, backgrounds and rules. The plan has its shape, and no pass yet. */
void ssimcu_plan_set_passes(struct ssimcu_plan *plan, const ssimcu_settings *settings,
                            const ssimcu_view pair[SSIMCU_PAIR]);

#endif
