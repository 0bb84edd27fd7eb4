/* The memory that decoding takes, for callers that account for it. For use inside the project
 * only. */
#pragma once

#include "ssimcu_io.h"

/* Returns the bytes that ssimcu_image_decode holds besides the frame and the file, such as all
 * coefficients of a progressive JPEG; 0 for NULL. */
SSIMCU_API uint64_t ssimcu_image_holds(const ssimcu_image *image);

/* Lets decoding release the bytes of a regular file while it reads them, if the format supports
 * that. This lowers the peak by about the file's size. Batches should not call it: they reuse the
 * memory, and would lose 3 % of their time. If the file proves damaged, it is read again, which is
 * an error (FILE) if it has changed. */
SSIMCU_API void ssimcu_image_release_early(ssimcu_image *image);
