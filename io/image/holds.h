/* What decoding costs in memory, for those who count it. Inside the project only. */
#ifndef SSIMCU_IMAGE_HOLDS_H
#define SSIMCU_IMAGE_HOLDS_H

#include "ssimcu_io.h"

/* Bytes that ssimcu_image_decode holds beside the frame and the file: all coefficients of a
 * progressive JPEG. 0 for NULL. */
uint64_t ssimcu_image_holds(const ssimcu_image *image);

#endif
