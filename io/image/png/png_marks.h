/* What a PNG says beside its samples, in chunks that may stand before or behind them. A decoder has
 * found, or will find, whether their CRCs are right. */
#ifndef SSIMCU_IMAGE_PNG_MARKS_H
#define SSIMCU_IMAGE_PNG_MARKS_H

#include "png_readers.h"

/* Returns Exif's orientation, 1 to 8: that of eXIf, otherwise of the text that ImageMagick writes
 * instead, otherwise of XMP. 1: none says anything; 0: memory ran out. */
unsigned ssimcu_png_orientation(const ssimcu_file *file);

/* Finds the text behind `keyword` in tEXt, zTXt or iTXt, or the profile of iCCP (`keyword` NULL).
 * Compressed data is inflated to `to`, as far as there is room. Returns NULL if the chunk is no
 * such one. */
const uint8_t *ssimcu_png_text(const ssimcu_png_chunk *chunk, const char *keyword, uint8_t *to,
                               size_t *size);

#endif
