/* Frames in device memory, which only the device that scores can touch. */
#pragma once

#include "pair/pair.h"

/* Returns whether U and V are interleaved, as a GPU decoder writes them. */
bool device_are_paired(const ssimcu_view *u, const ssimcu_view *v);

/* Finishes on the device what `load` left: frames are fitted to the other side and cut. The views
 * are then valid until the context's next pair. Errors: those of ssimcu_view_scale. */
ssimcu_status device_finish(struct pair *pair, ssimcu_context *context, ssimcu_message *message);
