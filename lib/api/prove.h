/* Proof of a device: whether it computes what plain C computes.
 *
 * A driver's compiler can be wrong. So before a process first scores pairs of a kind on a device, a
 * fixed pair of this kind goes through the same kernels and through a reference: for a GPU the CPU,
 * and for the CPU the plain C loops. A kind is everything except addresses and sizes: the kernel,
 * types, layouts, curves, alpha, metrics and outputs. Of the size it has which kernels it chooses.
 */
#pragma once

#include "api/context.h"

/* Proves the device for the plans of a frame, unless this process has done so. The context is in
 * use. Errors: DEVICE (it computes wrongly; context->distrusted is set), MEMORY, others of the
 * backend. */
ssimcu_status ssimcu_prove(ssimcu_context *context, const struct ssimcu_plan *plan, uint32_t plans,
                           ssimcu_message *message);
