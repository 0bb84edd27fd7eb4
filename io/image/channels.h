/* The channels of a picture file that has more than its picture. Inside the project only. */
#ifndef SSIMCU_IMAGE_CHANNELS_H
#define SSIMCU_IMAGE_CHANNELS_H

#include "ssimcu_io.h"

#include "exr/exr.h"

/* Returns all channels of an EXR, each with a line break; NULL for other formats and for NULL. The
 * text belongs to the image. exr.h says what a line is. */
SSIMCU_API const char *ssimcu_image_channels(const ssimcu_image *image);

/* ---- Pictures of many channels, in strips of rows, so that no memory need hold them whole
 * -------- */

struct ssimcu_file_memory;

/* Opens a picture as ssimcu_image_open_in does. If it is an EXR, it has these channels: names with
 * commas between, 1 to SSIMCU_EXR_CHANNELS, all of one part. The text must outlive the image. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_image_open_many(
    struct ssimcu_file_memory *memory, const char *path, const ssimcu_image_options *options,
    const char *channels, ssimcu_image **image, ssimcu_message *message);

/* Decodes the rows from `row` on that the strip has, as ssimcu_image_decode does. The strip has the
 * width, channels and bits of the image. The image can be decoded again. Other errors: UNSUPPORTED
 * (no EXR). */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_image_decode_strip(ssimcu_image *image,
                                                                     uint32_t row,
                                                                     ssimcu_frame *strip,
                                                                     ssimcu_message *message);

#endif
