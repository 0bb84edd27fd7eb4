/* TIFF: the one picture of a file. tiff_page.c finds and checks the page; tiff_blocks.c checks and
 * decodes its strips or tiles. */
#pragma once

#include "image/codec.h"

#include <errno.h>
#include <tiffio.h>

typedef struct ssimcu_tiff {
    const ssimcu_file *file;
    TIFF *tiff;
    uint64_t at;         /* next byte of the file that libtiff reads */
    char complaint[256]; /* libtiff's first relevant error or warning; "": none */
    bool unsorted;       /* tags of a directory are unsorted or duplicate */

    uint32_t width, height;             /* stored size, before the orientation */
    uint32_t block_width, block_height; /* size of a strip or tile */
    uint32_t across, down;              /* number of blocks in a plane */
    uint16_t planes;                    /* number of planes of single samples; 1: interleaved */
    uint16_t samples;                   /* stored samples of a pixel */
    uint16_t bits;                      /* stored bits of a sample */
    uint16_t compression, photometric, orientation;
    uint16_t predictor; /* 1: none; 2: samples are differences to the previous ones; 3: bytes are */
    bool swapped;       /* stored samples are not in the machine's byte order */
    uint16_t *map[3];   /* colour map of a palette */
    uint16_t map_bits;  /* bits of its values: 8 or 16 */
    bool tiled, floating, alpha;
    bool associated; /* colours are multiplied by alpha; alpha of floats is not read, as for EXR */
    uint8_t *row;    /* scratch memory for a row whose bytes are differences; otherwise NULL */
} ssimcu_tiff;

/* Fails with DATA, or with MEMORY if libtiff ran out of memory. The message is libtiff's, or `text`
 * if there is none. */
static inline ssimcu_status ssimcu_tiff_damaged(const ssimcu_tiff *t, const char *text)
{
    /* libtiff reports lack of memory only in texts, and in many different ones, but malloc leaves
     * ENOMEM.
     */
    if (errno == ENOMEM) FAIL_FILE(t->file, MEMORY, "out of memory");
    FAIL_FILE(t->file, DATA, "damaged TIFF (%s)", t->complaint[0] ? t->complaint : text);
}

/* ---- tiff_tags.c: what of a directory libtiff does not tell ---------------------------------- */

/* Returns whether one of libtiff's messages, which has its tag's name in quotes, is about a tag
 * that does not affect pixels. An invalid orientation counts as upright, as in a JPEG. */
bool ssimcu_tiff_is_harmless(const char *complaint);

/* Returns whether libtiff's current directory has a duplicate tag that affects pixels. libtiff
 * takes the first, and other readers the last. */
bool ssimcu_tiff_has_twice(const ssimcu_tiff *t);

/* Returns whether the directory after libtiff's current one would begin beyond the file. */
bool ssimcu_tiff_lacks_next(const ssimcu_tiff *t);

/* ---- tiff_blocks.c --------------------------------------------------------------------------- */

/* Checks that every strip or tile lies in the file and can hold its pixels. Errors: DATA, LIMIT. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_tiff_check_blocks(ssimcu_tiff *t);

/* Returns the bytes that decoding holds besides the frame. */
uint64_t ssimcu_tiff_block_bytes(const ssimcu_tiff *t);

/* Decodes into the frame, which has the picture's shape. Errors: DATA, MEMORY. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_tiff_decode(ssimcu_tiff *t, const ssimcu_frame *frame);
