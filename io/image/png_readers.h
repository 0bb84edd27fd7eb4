/* PNG has two readers. The fast one takes what renders are and accepts nothing that libpng would
 * refuse; whatever it does not take, for any reason, libpng reads or refuses from the start. So
 * there is one judge, one set of messages, and no rule is written down twice. */
#ifndef SSIMCU_IMAGE_PNG_READERS_H
#define SSIMCU_IMAGE_PNG_READERS_H

#include "codec.h"

/* Both as ssimcu_codec.read. The fast one says nothing: false, and the samples are unspecified. */
ssimcu_status ssimcu_png_read_libpng(const ssimcu_file *file, ssimcu_frame *frame,
                                     ssimcu_message *message);
bool ssimcu_png_read_fast(const ssimcu_file *file, ssimcu_frame *frame);

/* The libraries of the readers that this build has, and their versions. */
extern const char ssimcu_png_libraries[];

/* What the chunks before the image data say. */
typedef struct ssimcu_png_header {
    uint32_t width, height;
    uint8_t bits;          /* of a sample: 8 or 16 */
    uint8_t channels;      /* in the file; a palette's index is one */
    bool palette;          /* the channel is an index */
    bool key;              /* grey or RGB, and one colour is transparent */
    bool alpha;            /* a palette with alphas */
    uint16_t key_color[3]; /* grey in the first */
    uint16_t color_count;  /* of the palette */
    uint8_t color[256][4]; /* RGBA */
    size_t data;           /* where the first IDAT begins in the file */
} ssimcu_png_header;

/* Bytes of a row without its filter byte, and of a pixel. */
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
    SSIMCU_PNG_tRNS = 0x74524E53
};

typedef struct ssimcu_png_chunk {
    uint32_t type;
    uint32_t size;
    const uint8_t *data;
    size_t next; /* where the chunk after it begins */
} ssimcu_png_chunk;

static inline uint32_t ssimcu_png_u32(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* The chunk that begins at `at`, if it lies in the file whole and has a name; its CRC is not
 * checked. */
bool ssimcu_png_chunk_at(const ssimcu_file *file, size_t at, ssimcu_png_chunk *chunk);

/* The chunks up to the first IDAT; those from `at` on, which follow the last, to the end. */
bool ssimcu_png_chunks_read_header(const ssimcu_file *file, ssimcu_png_header *header);
bool ssimcu_png_chunks_end_well(const ssimcu_file *file, size_t at);

#endif
