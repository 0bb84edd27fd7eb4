/* Undoes the compressions of TIFF, more strictly than most readers do. The data must decode to
 * exactly the pixels, and hardly a byte may be left. Without checksums that is most of what can be
 * noticed: damage that changes a length. Deflate has a checksum, which is checked. */
#ifndef SSIMCU_IMAGE_TIFF_UNPACK_H
#define SSIMCU_IMAGE_TIFF_UNPACK_H

#include "inflate.h"

/* Decodes all of `from` to all of `to`. Both sizes are below 4 GiB. False if the data is wrong. */
typedef bool ssimcu_tiff_unpack(const uint8_t *from, size_t size, uint8_t *to, size_t wanted);

ssimcu_tiff_unpack ssimcu_tiff_unpack_copy, ssimcu_tiff_unpack_packbits, ssimcu_tiff_unpack_lzw;

/* Turns a row of `count` differences back into samples. Each is the difference to the sample `step`
 * before. */
void ssimcu_tiff_unpack_sum_8(uint8_t *row, size_t count, size_t step);
void ssimcu_tiff_unpack_sum_16(uint16_t *row, size_t count, size_t step);
void ssimcu_tiff_unpack_sum_32(uint32_t *row, size_t count, size_t step);

/* Does the same for floats whose bytes are differences: first the highest bytes of all samples,
 * then the next ones. The samples get the machine's byte order. `scratch` has room for the row. */
void ssimcu_tiff_unpack_sum_bytes(uint8_t *row, size_t count, size_t step, size_t sample,
                                  uint8_t *scratch);

#endif
