/* The compressions of TIFF, undone more strictly than most readers do: what was compressed must be
 * exactly as long as the pixels, and hardly a byte may be left. So damage that changes a length is
 * noticed, which without checksums is most of what can be; deflate has one, which is checked. */
#ifndef SSIMCU_IMAGE_TIFF_UNPACK_H
#define SSIMCU_IMAGE_TIFF_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All of `from` to all of `to`; sizes below 4 GiB. False where the data is wrong. */
typedef bool ssimcu_tiff_unpack(const uint8_t *from, size_t size, uint8_t *to, size_t wanted);

ssimcu_tiff_unpack ssimcu_tiff_unpack_copy, ssimcu_tiff_unpack_packbits, ssimcu_tiff_unpack_lzw,
    ssimcu_tiff_inflate;

/* Bytes behind the end that are let pass: an end code, a byte that makes the size even. */
enum { SSIMCU_TIFF_SLACK = 3 };

/* What a row of `count` differences, each to the sample `step` before, was made of. */
void ssimcu_tiff_unpack_sum_8(uint8_t *row, size_t count, size_t step);
void ssimcu_tiff_unpack_sum_16(uint16_t *row, size_t count, size_t step);
void ssimcu_tiff_unpack_sum_32(uint32_t *row, size_t count, size_t step);

/* The same of bytes: the highest of all samples, then the next ones. The samples become the
 * machine's; `scratch` has room for them. */
void ssimcu_tiff_unpack_sum_bytes(uint8_t *row, size_t count, size_t step, size_t sample,
                                  uint8_t *scratch);

#endif
