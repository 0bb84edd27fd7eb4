/* Inflates the image data of a PNG piece by piece with igzip. */
#pragma once

#include "png_readers.h"

#include <isa-l/igzip_lib.h>

/* Deflate refers back by at most SSIMCU_PNG_HISTORY bytes. */
enum { SSIMCU_PNG_HISTORY = 1 << 15, SSIMCU_PNG_WINDOW = 1 << 16 };

typedef struct ssimcu_png_inflater {
    const ssimcu_file *file;
    size_t at;     /* offset of the next byte of an IDAT, or of its CRC */
    uint32_t left; /* bytes left of that IDAT */
    uint32_t crc;  /* CRC of that IDAT so far */
    bool all_read; /* no IDAT follows */
    bool last;     /* the current block is the stream's last */
    uint64_t made; /* bytes inflated so far */
    struct inflate_state igzip;
    uint8_t window[SSIMCU_PNG_WINDOW]; /* compressed bytes; IDATs may split them anywhere */
} ssimcu_png_inflater;

/* Begins the stream of `size` bytes whose first IDAT is at `data` in the file.
 *
 * This function and the next two return false on any fault or unusual feature. The inflater must
 * not be used after that: libpng reads the file again and reports the fault. */
bool ssimcu_png_inflate_start(ssimcu_png_inflater *z, const ssimcu_file *file, size_t data,
                              uint64_t size);

/* Inflates the next `size` bytes to `to`. The 32 KB before `to` must still hold the bytes
 * before. */
bool ssimcu_png_inflate(ssimcu_png_inflater *z, uint8_t *to, size_t size);

/* Checks that the stream ends here and that its checksum is `adler`, the Adler-32 of all bytes.
 * Sets *next to the offset of the chunk after the IDATs. `spare` is a byte that may be
 * overwritten. */
bool ssimcu_png_inflate_finish(ssimcu_png_inflater *z, uint8_t *spare, uint32_t adler,
                               size_t *next);

/* Returns whether zlib would accept a block's header; igzip accepts some that zlib does not. `bits`
 * holds the stream's next `count` bits, `more` the bytes after them. Sets *last if the block is the
 * last. */
bool ssimcu_png_block_is_good(uint64_t bits, uint32_t count, const uint8_t *more, size_t size,
                              bool *last);
