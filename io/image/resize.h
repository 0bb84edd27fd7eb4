/* Resizes pictures for people to look at, with stb_image_resize. The result is the same bytes on
 * every run. Inside the project only. */
#ifndef SSIMCU_IMAGE_RESIZE_H
#define SSIMCU_IMAGE_RESIZE_H

#include "ssimcu_io.h"

/* Resamples `from` to the size of `to`, whose memory is the caller's and which has as many channels
 * and bits. Shrinks with Mitchell's filter and enlarges with a triangle (bilinear). The samples are
 * used as they are stored, and a pixel counts as much as its alpha. A sample of 9 to 15 bits may
 * end up above the peak. Errors: ARGUMENT (the shapes do not match), MEMORY. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_resize(const ssimcu_frame *from, ssimcu_frame *to,
                                              ssimcu_message *message);

/* A plane of floats. Shrinking gives the means of the values that are covered; enlarging puts new
 * values on straight lines between the old ones. */
typedef struct ssimcu_floats {
    uint32_t width, height;
    size_t stride; /* values from one row to the next */
    float *value;
} ssimcu_floats;
SSIMCU_MUST_CHECK ssimcu_status ssimcu_resize_floats(const ssimcu_floats *from, ssimcu_floats *to,
                                                     ssimcu_message *message);

#endif
