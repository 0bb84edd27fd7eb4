/* TIFFs of every kind that libtiff can write, and small changes to their directories. */
#ifndef SSIMCU_TEST_TIFF_MAKER_H
#define SSIMCU_TEST_TIFF_MAKER_H

#include "ssimcu_io.h"

#include <stdbool.h>
#include <tiffio.h>

/* What to write; the comments name the value that 0 stands for. */
typedef struct tiff_kind {
    uint32_t width, height; /* 37 x 23 */
    uint16_t samples;       /* 3 */
    uint16_t bits;          /* 8; 16; 32 */
    bool floating;
    uint16_t photometric;     /* grey for 1 and 2 samples, RGB for more; else + 1 */
    uint16_t compression;     /* none */
    uint16_t predictor;       /* none; 2; 3 */
    uint32_t rows;            /* rows in a strip: 5 */
    uint32_t tile[2];         /* none */
    bool planar;              /* samples in planes of their own */
    uint16_t orientation;     /* 1 */
    int extra;                /* kind of the last sample + 1; an even count is unassociated alpha */
    const char *mode;         /* TIFFOpen's, without the "w" */
    void (*tags)(TIFF *tiff); /* more tags, or others */
    void (*page_tags)(TIFF *tiff);      /* the same of the small pages of 16 x 8 */
    int thumbnails_before, pages_after; /* counts of small pages; thumbnails_after makes the
                                           latter thumbnails, too */
    bool thumbnails_after;
    const uint16_t *map; /* a palette, 3 * 256 */
} tiff_kind;

/* Fills the defaults in. */
tiff_kind tiff_fill(tiff_kind kind);

/* Makes a picture of such samples, for the caller to free: rows without padding. */
uint8_t *tiff_picture(const tiff_kind *kind, uint32_t seed);

void tiff_write(const char *path, const tiff_kind *kind, const uint8_t *picture);

/* Returns the place of a tag's entry in the first directory of a little-endian classic TIFF:
 * type at 2, count at 4, value at 8. */
uint8_t *tiff_entry(uint8_t *bytes, uint16_t tag);
void tiff_set(uint8_t *at, uint32_t value, int bytes);

#endif
