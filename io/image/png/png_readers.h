/* PNG has two readers. The fast one reads typical renders, and accepts nothing that libpng would
 * refuse. If it gives up, for any reason, libpng reads or refuses the file from the start. So there
 * is one judge and one set of messages. */
#pragma once

#include "image/codec.h"

/* Both implement ssimcu_codec.read. On failure the fast one returns false without a reason and
 * leaves the samples unspecified. */
ssimcu_status ssimcu_png_read_libpng(const ssimcu_file *file, ssimcu_frame *frame);
bool ssimcu_png_read_fast(const ssimcu_file *file, ssimcu_frame *frame);

/* Names and versions of the libraries behind the readers of this build. */
extern const char ssimcu_png_libraries[];

/* The contents of the chunks before the image data. */
typedef struct ssimcu_png_header {
    uint32_t width, height;
    uint8_t bits;          /* bits of a sample: 8 or 16 */
    uint8_t channels;      /* samples of a pixel in the file; 1 for a palette's index */
    bool palette;          /* the samples are indices of a palette */
    bool key;              /* grey or RGB with one transparent colour */
    bool alpha;            /* the palette has alpha */
    uint16_t key_color[3]; /* the transparent colour; grey is in the first */
    uint16_t color_count;  /* number of colours in the palette */
    uint8_t color[256][4]; /* RGBA */
    size_t data;           /* offset of the first IDAT in the file */
} ssimcu_png_header;

/* Return the bytes of a pixel in the file, and of a row without its filter byte. */
static inline size_t ssimcu_png_pixel_bytes(const ssimcu_png_header *header)
{
    return (size_t)header->channels * (header->bits / 8);
}

static inline size_t ssimcu_png_row_bytes(const ssimcu_png_header *header)
{
    return header->width * ssimcu_png_pixel_bytes(header);
}

enum {
    SSIMCU_PNG_IDAT = 0x49444154,
    SSIMCU_PNG_IEND = 0x49454E44,
    SSIMCU_PNG_IHDR = 0x49484452,
    SSIMCU_PNG_PLTE = 0x504C5445,
    SSIMCU_PNG_acTL = 0x6163544C,
    SSIMCU_PNG_tRNS = 0x74524E53
};

enum { SSIMCU_PNG_SIGNATURE = 8 /* bytes before the first chunk */ };

typedef struct ssimcu_png_chunk {
    uint32_t type;
    uint32_t size;
    const uint8_t *data;
    size_t next; /* offset of the chunk after it */
} ssimcu_png_chunk;

static inline uint32_t ssimcu_png_u32(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* Finds the chunk at `at`. Returns false unless it lies wholly in the file and has a valid name.
 * Does not check its CRC. */
static inline bool ssimcu_png_chunk_at(const ssimcu_file *file, size_t at, ssimcu_png_chunk *chunk)
{
    enum { AROUND = 12 /* bytes of a chunk besides its data: size, name, CRC */ };
    if (at > file->size || file->size - at < AROUND) return false;
    const uint8_t *const bytes = file->bytes + at;
    chunk->size = ssimcu_png_u32(bytes);
    if (chunk->size > INT32_MAX || chunk->size > file->size - at - AROUND) return false;
    for (int i = 4; i < 8; i++)
        if ((bytes[i] | 32) < 'a' || (bytes[i] | 32) > 'z') return false;
    chunk->type = ssimcu_png_u32(bytes + 4);
    chunk->data = bytes + 8;
    chunk->next = at + AROUND + chunk->size;
    return true;
}

/* Reads the chunks up to the first IDAT. ssimcu_png_chunks_end_well checks those after the last
 * IDAT, from `at` to the end of the file. Both return false on any fault or unusual feature. */
bool ssimcu_png_chunks_read_header(const ssimcu_file *file, ssimcu_png_header *header);
bool ssimcu_png_chunks_end_well(const ssimcu_file *file, size_t at);

/* ---- png_marks.c -----------------------------------------------------------------------------
 *
 * Data of a PNG besides its samples, in chunks before or after them. A decoder checks their
 * CRCs. */

/* Returns Exif's orientation, 1 to 8: from eXIf, otherwise from ImageMagick's text, otherwise from
 * XMP. Returns 1 if there is none, and 0 if memory runs out. */
unsigned ssimcu_png_orientation(const ssimcu_file *file);

/* Fills in file->colours from the first of cICP, iCCP, sRGB, and gAMA with cHRM. Returns false if
 * memory runs out. */
bool ssimcu_png_colours(ssimcu_file *file);
