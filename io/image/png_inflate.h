/* The image data of a PNG, inflated by igzip as it is asked for. */
#ifndef SSIMCU_IMAGE_PNG_INFLATE_H
#define SSIMCU_IMAGE_PNG_INFLATE_H

#include "png_readers.h"

#include <isa-l/igzip_lib.h>

/* Deflate refers back by at most this. */
enum { SSIMCU_PNG_HISTORY = 1 << 15, SSIMCU_PNG_WINDOW = 1 << 16 };

typedef struct ssimcu_png_inflater {
    const ssimcu_file *file;
    size_t at;     /* the next byte of an IDAT, or its CRC */
    uint32_t left; /* bytes of that IDAT */
    uint32_t crc;  /* of it so far */
    bool all_read; /* no IDAT follows */
    bool last;     /* the block is the stream's last */
    uint64_t made; /* bytes in all */
    struct inflate_state igzip;
    uint8_t window[SSIMCU_PNG_WINDOW]; /* of compressed bytes, as IDATs cut them anywhere */
} ssimcu_png_inflater;

/* All return false for whatever is wrong or unusual; libpng then says what, and nothing more may be
 * asked of the inflater.
 * start: the first IDAT is at `data` in the file, and the stream holds `size` bytes. */
bool ssimcu_png_inflate_start(ssimcu_png_inflater *z, const ssimcu_file *file, size_t data,
                              uint64_t size);

/* The next `size` bytes, all of them. The 32 KB before `to` still hold the bytes before. */
bool ssimcu_png_inflate(ssimcu_png_inflater *z, uint8_t *to, size_t size);

/* Nothing is left, and the checksum is `adler`, which is that of all bytes; *next is where the
 * chunk after the IDATs begins. `spare` is a byte behind the last. */
bool ssimcu_png_inflate_finish(ssimcu_png_inflater *z, uint8_t *spare, uint32_t adler,
                               size_t *next);

/* Whether a block's header is one that zlib takes: igzip takes some that it does not. `bits` holds
 * the stream's next `count` bits, `more` what follows them. *last: whether the block is the last.
 */
bool ssimcu_png_block_is_good(uint64_t bits, uint32_t count, const uint8_t *more, size_t size,
                              bool *last);

#endif
