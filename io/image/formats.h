/* The names of the picture formats, for messages and for the search of directories. Inside the
 * project only. */
#ifndef SSIMCU_IMAGE_FORMATS_H
#define SSIMCU_IMAGE_FORMATS_H

#include "ssimcu.h"

#include <stddef.h>

/* The formats as messages name them. */
#define SSIMCU_IMAGE_FORMATS "PNG, JPEG, TIFF, DPX or EXR"

/* Returns the extension number `index`, counted over all formats: such as ".png", in lower case.
 * NULL if there are no more. */
SSIMCU_API const char *ssimcu_image_extension(size_t index);

/* Returns the name of the format that a file's first bytes are of, such as "PNG"; NULL: none. Eight
 * bytes are enough. */
SSIMCU_API const char *ssimcu_image_kind(const void *start, size_t size);

#endif
