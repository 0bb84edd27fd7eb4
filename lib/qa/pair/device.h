/* Frames in device memory, which only the device that scores can touch. */
#ifndef SSIMCU_QA_DEVICE_H
#define SSIMCU_QA_DEVICE_H

#include "pair/pair.h"

/* Whether U and V lie in each other, as a decoder in a GPU writes them. */
bool device_are_paired(const ssimcu_view *u, const ssimcu_view *v);

/* Does what `load` has left to the device: frames are fitted to the other side and cut. The views
 * are then valid until the context's next pair. Errors: those of ssimcu_view_scale. */
ssimcu_status device_finish(struct pair *pair, ssimcu_context *context, ssimcu_message *message);

#endif
