/* TIFF: what is known of the one picture of a file. tiff_page.c finds and judges the page;
 * tiff_blocks.c checks and decodes its strips or tiles. */
#ifndef SSIMCU_IMAGE_TIFF_PAGE_H
#define SSIMCU_IMAGE_TIFF_PAGE_H

#include "image/codec.h"

#include <errno.h>
#include <tiffio.h>

typedef struct ssimcu_tiff {
    const ssimcu_file *file;
    TIFF *tiff;
    uint64_t at;         /* next byte of the file that libtiff reads */
    char complaint[256]; /* libtiff's first error or warning that counts; "": none */
    bool unsorted;       /* tags of a directory are not in order, or are there twice */

    uint32_t width, height;             /* stored size, before the orientation */
    uint32_t block_width, block_height; /* size of a strip or tile */
    uint32_t across, down;              /* numbers of blocks in a plane */
    uint16_t planes;                    /* number of planes of single samples; 1: interleaved */
    uint16_t samples;                   /* stored samples of a pixel */
    uint16_t bits;                      /* stored bits of a sample */
    uint16_t compression, photometric, orientation;
    uint16_t predictor; /* 1: none; 2: samples are differences to those before; 3: bytes are */
    bool swapped;       /* stored samples are not in the machine's byte order */
    uint16_t *map[3];   /* colour map of a palette */
    uint16_t map_bits;  /* bits of its values: 8 or 16 */
    bool tiled, floating, alpha;
    bool associated; /* colours are multiplied by alpha; alpha of floats is not read, as for EXR */
    uint8_t *row;    /* scratch memory for a row whose bytes are differences; else NULL */
} ssimcu_tiff;

/* Fails with DATA, or with MEMORY if libtiff ran out of it. The message has libtiff's complaint, or
 * `text` if there is none. */
static inline ssimcu_status ssimcu_tiff_damaged(const ssimcu_tiff *t, const char *text)
{
    /* libtiff says in words alone that memory ran out, and in many of them; malloc leaves ENOMEM.
     */
    if (errno == ENOMEM) return ssimcu_file_fail(t->file, SSIMCU_ERROR_MEMORY, "out of memory");
    return ssimcu_file_fail(t->file, SSIMCU_ERROR_DATA, "damaged TIFF (%s)",
                            t->complaint[0] ? t->complaint : text);
}

/* ---- tiff_tags.c: what of a directory libtiff does not tell ---------------------------------- */

/* Whether one of libtiff's complaints, which has its tag's name in quotes, is about a tag that
 * decides no pixel. An orientation that does not exist counts as upright, as in a JPEG. */
bool ssimcu_tiff_is_harmless(const char *complaint);

/* Whether the directory that libtiff is in has a tag that decides pixels twice. libtiff takes the
 * first, and others the last. */
bool ssimcu_tiff_has_twice(const ssimcu_tiff *t);

/* Whether the directory behind the one that libtiff is in would begin behind the file. */
bool ssimcu_tiff_lacks_next(const ssimcu_tiff *t);

/* ---- tiff_blocks.c --------------------------------------------------------------------------- */

/* Checks that every strip or tile lies in the file and can hold its pixels. Errors: DATA, LIMIT. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_tiff_check_blocks(ssimcu_tiff *t);

/* Returns the bytes that decoding holds beside the frame. */
uint64_t ssimcu_tiff_block_bytes(const ssimcu_tiff *t);

/* Decodes into the frame, which has the picture's shape. Errors: DATA, MEMORY. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_tiff_decode(ssimcu_tiff *t, const ssimcu_frame *frame);

#endif
