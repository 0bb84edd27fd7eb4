/* What a PNG says beside its samples, in chunks that may stand before or behind them. A decoder has
 * found, or will find, whether their CRCs are right. */
#ifndef SSIMCU_IMAGE_PNG_MARKS_H
#define SSIMCU_IMAGE_PNG_MARKS_H

#include "png_readers.h"

/* Returns Exif's orientation, 1 to 8: that of eXIf, otherwise of the text that ImageMagick writes
 * instead, otherwise of XMP. 1: none says anything; 0: memory ran out. */
unsigned ssimcu_png_orientation(const ssimcu_file *file);

/* Fills in file->colours, from the first of cICP, iCCP, sRGB, and gAMA with cHRM. False: memory ran
 * out. */
bool ssimcu_png_colours(ssimcu_file *file);

#endif
