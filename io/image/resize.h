/* Resizes pictures for display, with stb_image_resize. Every run gives the same bytes. For use
 * inside the project only. */
#pragma once

#include "ssimcu_io.h"

/* Resamples `from` to the size of `to`. The caller owns the memory of `to`, which has as many
 * channels and bits. Shrinks with Mitchell's filter and enlarges with a triangle (bilinear).
 * Samples are used as stored, and pixels are weighted by alpha. A sample of 9 to 15 bits may end up
 * above the peak. Errors: ARGUMENT (the shapes do not match), MEMORY. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_resize(const ssimcu_frame *from, ssimcu_frame *to,
                                              ssimcu_message *message);

/* A plane of floats. Shrinking averages the covered values; enlarging interpolates linearly. */
typedef struct ssimcu_floats {
    uint32_t width, height;
    size_t stride; /* values from one row to the next */
    float *value;
} ssimcu_floats;
SSIMCU_MUST_CHECK ssimcu_status ssimcu_resize_floats(const ssimcu_floats *from, ssimcu_floats *to,
                                                     ssimcu_message *message);
