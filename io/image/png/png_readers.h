/* PNG has two readers. The fast one reads what renders contain, and accepts nothing that libpng
 * would refuse. If it gives up, for any reason, libpng reads or refuses the file from the start. So
 * there is one judge and one set of messages, and no rule is written down twice. */
#ifndef SSIMCU_IMAGE_PNG_READERS_H
#define SSIMCU_IMAGE_PNG_READERS_H

#include "image/codec.h"

/* Both read as ssimcu_codec.read does. The fast one gives no reason: it returns false and leaves
 * the samples unspecified. */
ssimcu_status ssimcu_png_read_libpng(const ssimcu_file *file, ssimcu_frame *frame);
bool ssimcu_png_read_fast(const ssimcu_file *file, ssimcu_frame *frame);

/* Names and versions of the libraries behind the readers of this build. */
extern const char ssimcu_png_libraries[];

/* The contents of the chunks before the image data. */
typedef struct ssimcu_png_header {
    uint32_t width, height;
    uint8_t bits;          /* bits of a sample: 8 or 16 */
    uint8_t channels;      /* samples of a pixel in the file; a palette's index is one */
    bool palette;          /* the samples are indices of a palette */
    bool key;              /* grey or RGB with one transparent colour */
    bool alpha;            /* the palette has alphas */
    uint16_t key_color[3]; /* the transparent colour; grey is in the first */
    uint16_t color_count;  /* number of colours in the palette */
    uint8_t color[256][4]; /* RGBA */
    size_t data;           /* place of the first IDAT in the file */
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
    size_t next; /* place of the chunk behind it */
} ssimcu_png_chunk;

static inline uint32_t ssimcu_png_u32(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* Finds the chunk at `at`. False unless it lies in the file whole and has a valid name. Its CRC is
 * not checked. */
static inline bool ssimcu_png_chunk_at(const ssimcu_file *file, size_t at, ssimcu_png_chunk *chunk)
{
    enum { AROUND = 12 /* bytes of a chunk beside its data: size, name, CRC */ };
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

/* Reads the chunks up to the first IDAT. ssimcu_png_chunks_end_well checks those behind the last
 * IDAT, from `at` to the end of the file. Both return false if anything is wrong or unusual. */
bool ssimcu_png_chunks_read_header(const ssimcu_file *file, ssimcu_png_header *header);
bool ssimcu_png_chunks_end_well(const ssimcu_file *file, size_t at);

/* ---- png_marks.c -----------------------------------------------------------------------------
 *
 * What a PNG says beside its samples, in chunks that may stand before or behind them. A decoder has
 * found, or will find, whether their CRCs are right. */

/* Returns Exif's orientation, 1 to 8: that of eXIf, otherwise of the text that ImageMagick writes
 * instead, otherwise of XMP. 1: none says anything; 0: memory ran out. */
unsigned ssimcu_png_orientation(const ssimcu_file *file);

/* Fills in file->colours, from the first of cICP, iCCP, sRGB, and gAMA with cHRM. False: memory ran
 * out. */
bool ssimcu_png_colours(ssimcu_file *file);

#endif
