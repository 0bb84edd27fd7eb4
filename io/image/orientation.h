/* Orientation: how a camera was held. It is a tag of TIFF, and Exif stores it in a small TIFF file
 * inside a JPEG. */
#ifndef SSIMCU_IMAGE_ORIENTATION_H
#define SSIMCU_IMAGE_ORIENTATION_H

#include "ssimcu.h"

#include <stddef.h>
#include <stdint.h>

/* Returns the orientation, 1 to 8, from a marker's data, which begins with "Exif" and two zeros. It
 * is the first value of tag 0x0112 in IFD 0, a whole number of any type. Returns 1, upright, if the
 * tag is missing, lies outside the data or has another value. */
unsigned ssimcu_orientation(const uint8_t *data, size_t size);

/* The place of stored pixels in an upright frame: a start and two signed strides in bytes. */
typedef struct ssimcu_placement {
    uint8_t *first; /* place of the first pixel of the first stored row */
    ptrdiff_t next_pixel, next_row;
} ssimcu_placement;

ssimcu_placement ssimcu_orientation_place(const ssimcu_frame *frame, unsigned orientation);

#endif
