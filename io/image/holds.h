/* What decoding costs in memory, for those who count it. Inside the project only. */
#ifndef SSIMCU_IMAGE_HOLDS_H
#define SSIMCU_IMAGE_HOLDS_H

#include "ssimcu_io.h"

/* Bytes that ssimcu_image_decode holds beside the frame and the file: all coefficients of a
 * progressive JPEG. 0 for NULL. */
uint64_t ssimcu_image_holds(const ssimcu_image *image);

/* Lets decoding give the bytes of a regular file back while it reads them, where its format can:
 * the peak is lower by about that much. Not for batches, which use the memory again: there it costs
 * 3 % of the time. A damaged file is read a second time, and an error (FILE) if it has changed. */
void ssimcu_image_release_early(ssimcu_image *image);

#endif
