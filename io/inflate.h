/* Inflates what another program has deflated, if it is exactly what the caller expects. */
#ifndef SSIMCU_INFLATE_H
#define SSIMCU_INFLATE_H

#include "ssimcu.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* most bytes that may follow the end: an end code, a byte that makes the size even */
enum { SSIMCU_UNPACK_SLACK = 3 };

/* Inflates all of `from`, a zlib stream, to all of `to`. Both sizes are below 4 GiB. False if the
 * stream is damaged, if it holds fewer or more than `wanted` bytes, or if more than the slack
 * follows it. */
SSIMCU_API bool ssimcu_inflate(const uint8_t *from, size_t size, uint8_t *to, size_t wanted);

#endif
