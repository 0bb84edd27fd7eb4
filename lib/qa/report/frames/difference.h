/* The difference of OUT from REF as a picture. */
#pragma once

#include "ssimcu.h"

/* Draws 128 + times x (OUT - REF) of two pictures of one size, with 3 channels of 8 bits each, in
 * memory from ssimcu_frame_alloc. `times` becomes the largest power of two, from 1/2 to 32, that
 * clips at most a thousandth of the samples. Errors: LIMIT, MEMORY. */
ssimcu_status difference_draw(const ssimcu_frame *ref, const ssimcu_frame *out,
                              ssimcu_frame *picture, double *times, ssimcu_message *message);
