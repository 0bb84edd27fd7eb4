/* The weights of scaling, for the CPU and the GPU: zimg's numbers, worked out anew. */
#ifndef SSIMCU_TAPS_H
#define SSIMCU_TAPS_H

#include "core/scale.h"
#include "ssimcu.h"

/* Makes the sums along an axis whose `from` samples become `to`. Sample i lies at
 * (i + 0.5) * from / to + shift, in samples of the axis before. A filter that makes fewer samples
 * is widened by as much. Beyond both ends the axis is mirrored. No change: a sum is one sample.
 * *memory holds the tables; the caller frees it. Errors: MEMORY. */
ssimcu_status ssimcu_taps_make(ssimcu_scaler_name scaler, uint32_t from, uint32_t to, double shift,
                               struct ssimcu_taps *taps, void **memory, ssimcu_message *message);

/* Whether rows are scaled before columns, which is what takes less work. The order counts, because
 * numbers are rounded in between. */
int ssimcu_taps_across_first(const struct ssimcu_taps *across, const struct ssimcu_taps *down);

#endif
