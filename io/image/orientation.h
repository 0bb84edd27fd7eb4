/* The orientation of the camera, from 1 (upright) to 8, as in TIFF and Exif. */
#pragma once

#include "ssimcu.h"

#include <stddef.h>
#include <stdint.h>

/* The place of stored pixels in an upright frame: a start and two signed strides in bytes. */
typedef struct ssimcu_placement {
    uint8_t *first; /* place of the first pixel of the first stored row */
    ptrdiff_t next_pixel, next_row;
} ssimcu_placement;

ssimcu_placement ssimcu_orientation_place(const ssimcu_frame *frame, unsigned orientation);
