/* PNG files made byte by byte, and both readers of io/ held against each other. */
#ifndef SSIMCU_TEST_PNG_MAKER_H
#define SSIMCU_TEST_PNG_MAKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A file in memory; it grows as bytes are put into it. */
typedef struct made_png {
    uint8_t *bytes;
    size_t size, capacity;
} made_png;

enum { GREY = 0, RGB = 2, PALETTE = 3, GREY_ALPHA = 4, RGBA = 6 };

typedef struct png_shape {
    uint32_t width, height;
    int bits, color;
} png_shape;

/* How the image data is compressed and cut. */
typedef struct png_style {
    int level, strategy, window_bits; /* zlib's own values */
    size_t idat;                      /* bytes in each; 0: all in one */
} png_style;

size_t png_row_bytes(png_shape shape);
uint32_t png_pixel_bytes(png_shape shape);

void png_put(made_png *png, const void *bytes, size_t size);
void png_put_chunk(made_png *png, const char *type, const void *data, size_t size);
void png_put_start(made_png *png, png_shape shape); /* Puts the signature and IHDR. */
void png_put_idats(made_png *png, const uint8_t *zlib, size_t size, size_t idat);

/* Returns zlib's stream of some bytes, for the caller to free. */
uint8_t *png_deflate(const uint8_t *raw, size_t size, png_style style, size_t *made);

/* Makes a whole file of rows that each begin with their filter; it has a palette of 256 if it
 * needs one. */
void png_make(made_png *png, png_shape shape, png_style style, const uint8_t *raw);

/* Makes new CRCs for all chunks that lie in the file. */
void png_repair_crcs(made_png *png);

uint32_t png_random(uint32_t *state);

/* What became of a file. DIFFER: the fast reader took what libpng refuses, or its pixels or
 * shape differ, with one thread or two, or libpng had a remark. */
enum verdict { BOTH_READ, ONLY_LIBPNG_READ, REFUSED, DIFFER };

enum verdict png_compare_readers(const uint8_t *bytes, size_t size);

#endif
