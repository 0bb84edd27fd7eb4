/* The names of the picture formats, for messages and for searching directories. For use inside the
 * project only. */
#pragma once

#include "ssimcu.h"

#include <stddef.h>

/* The formats, for messages. */
#define SSIMCU_IMAGE_FORMATS "PNG, JPEG, TIFF, DPX or EXR"

/* Returns extension number `index` over all formats, such as ".png", in lower case. Returns NULL
 * after the last. */
SSIMCU_API const char *ssimcu_image_extension(size_t index);

/* Returns the name of the format of a file's first bytes, such as "PNG", or NULL. Eight bytes are
 * enough. */
SSIMCU_API const char *ssimcu_image_kind(const void *start, size_t size);
