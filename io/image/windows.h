/* The position of a picture on the plane that renders share, for callers that compare two. For use
 * inside the project only. */
#pragma once

#include "ssimcu_io.h"

#include <stdbool.h>

struct ssimcu_image_windows {
    bool known;     /* the format has windows; if not, everything is 0 */
    int32_t x, y;   /* the first pixel: corner of the display window */
    double outside; /* share of the picture outside the data window, where all channels are 0 */
};

/* Returns the windows of an image that has not been decoded. */
SSIMCU_API struct ssimcu_image_windows ssimcu_image_windows(const ssimcu_image *image);
