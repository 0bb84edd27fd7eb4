/* Functions about frames that several files share. */
#pragma once

#include "ssimcu.h"

/* Returns the bytes from one row to the next: the frame's pitch or, if that is 0, a row without
 * padding. */
size_t ssimcu_frame_pitch(const ssimcu_frame *frame);

/* Checks that width, height, channels and bits are in range. The message calls the frame `name`.
 * Errors: ARGUMENT, LIMIT (a side over 2^24 - 1). */
ssimcu_status ssimcu_frame_check_shape(const ssimcu_frame *frame, const char *name,
                                       ssimcu_message *message);

/* Checks the same, and that pitch and data describe memory for the frame. */
ssimcu_status ssimcu_frame_check(const ssimcu_frame *frame, const char *name,
                                 ssimcu_message *message);
