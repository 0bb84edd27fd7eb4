/* Data such as depth or normals has no white. It is compared within the range of its own samples.
 */
#ifndef SSIMCU_QA_RANGE_H
#define SSIMCU_QA_RANGE_H

#include "facts/compare.h"
#include "pair/pair.h"
#include "ssimcu_qa_types.h"

/* The least sample of a single channel that is far: the empty background of a depth. Renderers
 * write 1e10, 1e30 or infinity there. */
#define RANGE_FAR 1e9f

/* How many times the median of all samples but 0 the range of a depth may reach. One sample of a
 * million would else make all that is nearer dark. Others, such as motion, may be next to 0 almost
 * everywhere. */
enum { RANGE_MOST = 8 };

/* Whether pictures of this shape are data whose range is to be found. */
bool range_is_for(const ssimcu_frame *frame);

/* What is known of the data beside its samples. */
struct range_of {
    double gain; /* the factor that scoring applies to light and that data must not get; 0: 1 */
    bool depth;
    const struct compare_rule *rule; /* what the limits say; NULL: nothing */
};

/* Maps the samples of both frames so that 0 and 1 are the ends of one range, which *range then
 * names. The frames are floats in memory of the pair's own. Without a rule the range goes from the
 * lowest sample of both frames to the highest, and 0 lies in it; that of a depth goes no further
 * than RANGE_MOST. Samples beyond count by their logarithm, so that twice as far is as much
 * everywhere. Far samples do not count for the range, and are 1. NaN stays what it is. Errors:
 * MISMATCH (one side is no such data). */
ssimcu_status range_apply(const struct pair *pair, const struct range_of *of,
                          ssimcu_data_range *range, ssimcu_message *message);

#endif
