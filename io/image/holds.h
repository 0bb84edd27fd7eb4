/* The memory that decoding takes, for callers that count it. Inside the project only. */
#ifndef SSIMCU_IMAGE_HOLDS_H
#define SSIMCU_IMAGE_HOLDS_H

#include "ssimcu_io.h"

/* Returns the bytes that ssimcu_image_decode holds beside the frame and the file, such as all
 * coefficients of a progressive JPEG. 0 for NULL. */
SSIMCU_API uint64_t ssimcu_image_holds(const ssimcu_image *image);

/* Lets decoding release the bytes of a regular file while it reads them, if the format can. That
 * lowers the peak by about the file's size. Batches should not call it: they reuse the memory, and
 * would lose 3 % of their time. If the file then proves damaged it is read a second time, which is
 * an error (FILE) if it has changed. */
SSIMCU_API void ssimcu_image_release_early(ssimcu_image *image);

#endif
