/* Questions about a frame that more than one place asks. */
#ifndef SSIMCU_FRAME_H
#define SSIMCU_FRAME_H

#include "ssimcu.h"

/* Bytes of one sample: 1, 2 or 4. */
size_t ssimcu_frame_sample_bytes(const ssimcu_frame *frame);

/* Bytes of one row without padding. The frame's fields are in range. */
size_t ssimcu_frame_row_bytes(const ssimcu_frame *frame);

/* Whether width, height, channels and bits are in range and the size fits in memory's numbers.
 * `name` is what the message calls the frame. */
ssimcu_status ssimcu_frame_check_shape(const ssimcu_frame *frame, const char *name,
                                       ssimcu_message *message);

/* The same, and that pitch and data describe memory for it. */
ssimcu_status ssimcu_frame_check(const ssimcu_frame *frame, const char *name,
                                 ssimcu_message *message);

#endif
