/* How a camera was held: the orientation tag of Exif, which lives in a small TIFF file inside a
 * JPEG, and of TIFF itself. */
#ifndef SSIMCU_IMAGE_ORIENTATION_H
#define SSIMCU_IMAGE_ORIENTATION_H

#include "ssimcu.h"

#include <stddef.h>
#include <stdint.h>

/* The orientation, 1 to 8, in a marker's data, which begins with "Exif" and two zeros. It is the
 * first value of tag 0x0112 in IFD 0, a whole number of any type. 1, upright, where the tag is
 * missing, says anything else, or lies outside the data. */
unsigned ssimcu_orientation(const uint8_t *data, size_t size);

/* Where the pixels of stored rows go in a frame that is upright: two signed strides in bytes. */
typedef struct ssimcu_placement {
    uint8_t *first; /* where the first pixel of the first stored row goes */
    ptrdiff_t next_pixel, next_row;
} ssimcu_placement;

ssimcu_placement ssimcu_orientation_place(const ssimcu_frame *frame, unsigned orientation);

#endif
