/* Data such as depth or normals has no white. It is compared within the range of its own samples.
 */
#ifndef SSIMCU_QA_RANGE_H
#define SSIMCU_QA_RANGE_H

#include "pair/pair.h"
#include "ssimcu_qa_types.h"

/* The least sample of a single channel that is far: the empty background of a depth. Renderers
 * write 1e10, 1e30 or infinity there. */
#define RANGE_FAR 1e9f

/* Whether pictures of this shape are data whose range is to be found. */
bool range_is_for(const ssimcu_frame *frame);

/* Maps the samples of both frames so that 0 and 1 are the ends of one range, which *range then
 * names. The frames are floats in memory of the pair's own. The range goes from the lowest sample
 * of both frames to the highest, and 0 lies in it. Far samples do not count for it, and are then
 * the highest. NaN stays what it is. `gain` is the factor that scoring applies to light and that
 * data must not get; 0: 1. Errors: MISMATCH (one side is no such data). */
ssimcu_status range_apply(const struct pair *pair, double gain, ssimcu_data_range *range,
                          ssimcu_message *message);

#endif
