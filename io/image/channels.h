/* Channels of a picture file besides its picture. For use inside the project only. */
#pragma once

#include "ssimcu_io.h"

#include "exr/exr.h"

/* Returns all channels of an EXR, each with a line break; NULL for other formats and for NULL. The
 * image owns the text. exr.h describes a line. */
SSIMCU_API const char *ssimcu_image_channels(const ssimcu_image *image);

/* ---- Pictures of many channels, in strips of rows, so that no memory need hold them whole
 * -------- */

struct ssimcu_file_memory;

/* Opens a picture like ssimcu_image_open_in. An EXR has these channels: 1 to SSIMCU_EXR_CHANNELS
 * names of one part, separated by commas. The text must outlive the image. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_image_open_many(
    struct ssimcu_file_memory *memory, const char *path, const ssimcu_image_options *options,
    const char *channels, ssimcu_image **image, ssimcu_message *message);

/* Decodes the rows of a strip, which begins at `row`, like ssimcu_image_decode. The strip has the
 * width, channels and bits of the image. The image can be decoded again. Further errors:
 * UNSUPPORTED (not an EXR). */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_image_decode_strip(ssimcu_image *image,
                                                                     uint32_t row,
                                                                     ssimcu_frame *strip,
                                                                     ssimcu_message *message);
