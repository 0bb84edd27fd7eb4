/* Pictures in another size, for people to look at: with stb_image_resize. The same bytes on every
 * run. Inside the project only. */
#ifndef SSIMCU_IMAGE_RESIZE_H
#define SSIMCU_IMAGE_RESIZE_H

#include "ssimcu_io.h"

/* Resamples `from` to the size of `to`, memory of the caller with as many channels and bits.
 * Smaller with Mitchell's filter, larger with a triangle (bilinear), on the samples as they are
 * stored; a pixel counts as much as its alpha. A sample of 9 to 15 bits may end up above the peak.
 * Errors: ARGUMENT (the shapes do not go together), MEMORY. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_resize(const ssimcu_frame *from, ssimcu_frame *to,
                                              ssimcu_message *message);

/* A plane of floats: fewer are the means of what they cover, more lie on
 * straight lines between those that are there. */
typedef struct ssimcu_floats {
    uint32_t width, height;
    size_t stride; /* values from one row to the next */
    float *value;
} ssimcu_floats;
SSIMCU_MUST_CHECK ssimcu_status ssimcu_resize_floats(const ssimcu_floats *from, ssimcu_floats *to,
                                                     ssimcu_message *message);

#endif
