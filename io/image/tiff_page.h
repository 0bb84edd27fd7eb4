/* TIFF: what is known of the one picture of a file, and the two steps that read it: tiff_page.c
 * finds and judges the page, tiff_blocks.c checks and decodes its strips or tiles. */
#ifndef SSIMCU_IMAGE_TIFF_PAGE_H
#define SSIMCU_IMAGE_TIFF_PAGE_H

#include "codec.h"

#include <tiffio.h>

typedef struct ssimcu_tiff {
    const ssimcu_file *file;
    TIFF *tiff;
    uint64_t at;         /* the next byte of the file, for libtiff's reads */
    char complaint[256]; /* the first error or warning of libtiff; empty: none */
    ssimcu_message *message;

    uint32_t width, height;             /* as stored, before the orientation */
    uint32_t block_width, block_height; /* of a strip or tile */
    uint32_t across, down;              /* blocks of a plane */
    uint16_t planes;                    /* samples that lie in planes of their own, or 1 */
    uint16_t samples;                   /* of a pixel, as stored */
    uint16_t bits;                      /* of a sample, as stored */
    uint16_t compression, photometric, orientation;
    uint16_t predictor; /* 1: none, 2: samples are differences to those before, 3: bytes are */
    bool swapped;       /* samples are not in the machine's byte order */
    uint16_t *map[3];   /* the colour map of a palette */
    uint16_t map_bits;  /* its depth: 8 or 16 */
    bool tiled, floating, alpha;
    bool associated; /* alpha, which the colours have been multiplied by; of floats it is not read,
                        as of an EXR */
    uint8_t *row;    /* memory for one, where bytes are differences */
} ssimcu_tiff;

/* DATA, with what libtiff complained of or else `text`. */
ssimcu_status ssimcu_tiff_damaged(const ssimcu_tiff *t, const char *text);

/* Whether every strip or tile lies in the file and can hold its pixels. Errors: DATA, LIMIT. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_tiff_check_blocks(ssimcu_tiff *t);

/* Bytes that decoding holds beside the frame. */
uint64_t ssimcu_tiff_block_bytes(const ssimcu_tiff *t);

/* Decodes into the frame, which has the picture's shape. Errors: DATA, MEMORY. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_tiff_decode(ssimcu_tiff *t, const ssimcu_frame *frame);

#endif
