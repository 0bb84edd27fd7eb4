/* What the header of a picture file declares besides its shape, for callers that compare two, or
 * the files of a shot. It changes no sample. For use inside the project only. */
#pragma once

#include "ssimcu_io.h"

#include <stdbool.h>

/* The position of a picture on the plane that renders share. */
struct ssimcu_image_windows {
    bool known;     /* the format has windows; if not, everything is 0 */
    int32_t x, y;   /* the first pixel: corner of the display window */
    double outside; /* share of the picture outside the data window, where all channels are 0 */
};

/* Returns the windows of an image that has not been decoded. */
SSIMCU_API struct ssimcu_image_windows ssimcu_image_windows(const ssimcu_image *image);

enum ssimcu_declared {
    SSIMCU_DECLARED_FORMAT,
    SSIMCU_DECLARED_COMPRESSION,
    SSIMCU_DECLARED_DATA_WINDOW,
    SSIMCU_DECLARED_DISPLAY_WINDOW,
    SSIMCU_DECLARED_PIXEL_ASPECT,
    SSIMCU_DECLARED_RATE,
    SSIMCU_DECLARED_TRANSFER,
    SSIMCU_DECLARED_PRIMARIES,
    SSIMCU_DECLARED
};

/* Returns a property of an image, such as "ZIP", "64x48+0+0" or "24000/1001"; "": not declared. The
 * text belongs to the image. */
SSIMCU_API const char *ssimcu_image_declared(const ssimcu_image *image,
                                             enum ssimcu_declared property);
