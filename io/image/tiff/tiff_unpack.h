/* Decompresses TIFF data, more strictly than most readers. The data must decode to exactly the
 * pixels, and hardly a byte may be left. Without checksums this detects most of what can be
 * detected: damage that changes a length. Deflate's checksum is verified. */
#pragma once

#include "inflate.h"

/* Decodes all of `from` to all of `to`. Both sizes are below 4 GiB. Returns false if the data is
 * damaged. */
typedef bool ssimcu_tiff_unpack(const uint8_t *from, size_t size, uint8_t *to, size_t wanted);

ssimcu_tiff_unpack ssimcu_tiff_unpack_copy, ssimcu_tiff_unpack_packbits, ssimcu_tiff_unpack_lzw;

/* Converts a row of `count` differences to samples. Each is the difference to the sample `step`
 * places before. */
void ssimcu_tiff_unpack_sum_8(uint8_t *row, size_t count, size_t step);
void ssimcu_tiff_unpack_sum_16(uint16_t *row, size_t count, size_t step);
void ssimcu_tiff_unpack_sum_32(uint32_t *row, size_t count, size_t step);

/* Does the same for floats whose bytes are differences: first the highest bytes of all samples,
 * then the next ones. The result has the machine's byte order. `scratch` has room for the row. */
void ssimcu_tiff_unpack_sum_bytes(uint8_t *row, size_t count, size_t step, size_t sample,
                                  uint8_t *scratch);
