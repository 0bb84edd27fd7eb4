/* Where a picture lies on the plane that renders share, for those who compare two. Inside the
 * project only. */
#ifndef SSIMCU_IMAGE_WINDOWS_H
#define SSIMCU_IMAGE_WINDOWS_H

#include "ssimcu_io.h"

#include <stdbool.h>

struct ssimcu_image_windows {
    bool known;   /* the format has such; the rest is 0 where not */
    int32_t x, y; /* of the first pixel: the display window's corner */
    int32_t data_x, data_y;
    uint32_t data_width, data_height; /* the data window: what the file holds */
    double outside; /* share of the picture that lies outside it, where all channels are 0 */
};

/* Of an image that has not been decoded. */
struct ssimcu_image_windows ssimcu_image_windows(const ssimcu_image *image);

#endif
