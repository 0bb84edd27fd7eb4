/* The channels of a picture file that has more than its picture. Inside the project only. */
#ifndef SSIMCU_IMAGE_CHANNELS_H
#define SSIMCU_IMAGE_CHANNELS_H

#include "ssimcu_io.h"

#include "exr/exr.h"

/* Returns all channels of an EXR, each with a line break; NULL for other formats and for NULL. The
 * text belongs to the image. exr.h says what a line is. */
SSIMCU_API const char *ssimcu_image_channels(const ssimcu_image *image);

#endif
