/* Writes frames to JPEG files for display. For use inside the project only. */
#pragma once

#include "ssimcu_io.h"

/* Writes a frame of 1 or 3 channels of 8 bits to a new file, with chroma at half size. `quality` is
 * libjpeg's, 1 to 100. After an error the caller removes the file. Errors: ARGUMENT, MEMORY, WRITE
 * (also if the file exists already). */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_image_write_jpeg(const char *path, const ssimcu_frame *frame,
                                                        int quality, ssimcu_message *message);
