/* Sizes of the pair that proves a device (prove.h). The size of a frame chooses kernels and leaves
 * rests at the right and at the bottom. So the pair is small, but chooses the same kernels, and has
 * the rests of the frame. */
#pragma once

#include "plan/plan.h"

/* Sets the width and height of the pair for the plans of a frame on a GPU. */
void ssimcu_trial_size(const struct ssimcu_plan *plan, uint32_t plans, uint32_t size[2]);

/* Returns whether the frame has further kernels for the lower scales of MS-SSIM. They need a larger
 * pair, whose size is set. */
int ssimcu_trial_large_size(const struct ssimcu_plan *plan, uint32_t size[2]);
