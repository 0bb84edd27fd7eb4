/* Writes frames to JPEG files for people to look at. Inside the project only. */
#ifndef SSIMCU_IMAGE_WRITE_JPEG_H
#define SSIMCU_IMAGE_WRITE_JPEG_H

#include "ssimcu_io.h"

/* Writes a frame of 1 or 3 channels of 8 bits to a new file, with chroma at half size. `quality` is
 * libjpeg's, 1 to 100. After an error the caller removes what was written. Errors: ARGUMENT,
 * MEMORY, WRITE (also if the file exists already). */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_image_write_jpeg(const char *path, const ssimcu_frame *frame,
                                                        int quality, ssimcu_message *message);

#endif
