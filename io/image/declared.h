/* What the header of a picture file declares besides its shape, for callers that compare the files
 * of a shot. It changes no sample. For use inside the project only. */
#pragma once

#include "ssimcu_io.h"

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
