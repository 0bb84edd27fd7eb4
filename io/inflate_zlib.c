/* Deflate with zlib, for builds without igzip. */
#include "inflate.h"

#include <zlib.h>

bool ssimcu_inflate(const uint8_t *from, size_t size, uint8_t *to, size_t wanted)
{
    z_stream z = {.next_in = (Bytef *)(uintptr_t)from, /* zlib only reads */
                  .avail_in = (uInt)size,
                  .next_out = to,
                  .avail_out = (uInt)wanted};
    if (inflateInit(&z) != Z_OK) return false;
    const int end = inflate(&z, Z_FINISH); /* zlib verifies the checksum */
    inflateEnd(&z);
    return end == Z_STREAM_END && z.avail_out == 0 && z.avail_in <= SSIMCU_UNPACK_SLACK;
}
