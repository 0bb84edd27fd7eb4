/* Data such as depth or normals has no white. It is compared within the range of its samples. */
#pragma once

#include "pair/pair.h"
#include "record/compare.h"
#include "ssimcu_qa_types.h"

/* The least sample of a single channel that is far: the empty background of a depth channel.
 * Renderers write 1e10, 1e30 or infinity there. */
#define RANGE_FAR 1e9f

/* The range of a depth may reach so many times the median of all samples except 0. Otherwise one
 * sample of a million would make everything nearer dark. Other data, such as motion, may be near 0
 * almost everywhere. */
enum { RANGE_MOST = 8 };

/* Returns whether pictures of this shape are data whose range must be found. */
bool range_is_for(const ssimcu_frame *frame);

/* What is known about the data besides its samples. */
struct range_of {
    double gain; /* factor that scoring applies to light and that data must not get; 0: 1 */
    bool depth;
    const struct compare_rule *rule; /* the limits' rule; may be NULL */
};

/* Maps the samples of both frames so that 0 and 1 are the ends of one range, which *range returns.
 * The frames are floats in the pair's memory. Without a rule, the range spans the samples of both
 * frames and 0; that of a depth ends at RANGE_MOST. Samples beyond count by their logarithm, so
 * that twice as far is as much everywhere. Far samples do not count for the range, and become 1.
 * NaN stays NaN. Errors: MISMATCH (one side is not such data). */
ssimcu_status range_apply(const struct pair *pair, const struct range_of *of,
                          ssimcu_data_range *range, ssimcu_message *message);
