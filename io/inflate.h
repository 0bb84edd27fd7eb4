/* Inflates deflated data, if the result has exactly the expected size. */
#pragma once

#include "ssimcu.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* maximum number of bytes after the end: an end code, and a byte that makes the size even */
enum { SSIMCU_UNPACK_SLACK = 3 };

/* Inflates all of `from`, a zlib stream, to all of `to`. Both sizes are below 4 GiB. Returns false
 * if the stream is damaged, does not hold exactly `wanted` bytes, or is followed by more than the
 * slack. */
SSIMCU_API bool ssimcu_inflate(const uint8_t *from, size_t size, uint8_t *to, size_t wanted);
