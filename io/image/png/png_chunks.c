/* Checks a PNG's chunks: bounds, names, order, CRC. It leaves faulty files to libpng, and features
 * that renders lack: fewer than 8 bits, interlacing, a palette with RGB. */
#include "png_readers.h"

#include <isa-l/crc.h>
#include <string.h>

static bool crc_is_right(const ssimcu_png_chunk *chunk)
{
    /* The library only reads the data, although its parameter is not const. */
    return crc32_gzip_refl(0, (uint8_t *)chunk->data - 4, (uint64_t)chunk->size + 4) ==
           ssimcu_png_u32(chunk->data + chunk->size);
}

/* Returns whether a chunk may be skipped: it is ancillary, has a name that this version of PNG
 * allows, and is not tRNS. */
static bool is_skipped(const ssimcu_png_chunk *chunk)
{
    return (chunk->type & 0x20000000) && !(chunk->type & 0x2000) && chunk->type != SSIMCU_PNG_tRNS;
}

static bool read_ihdr(const ssimcu_png_chunk *chunk, ssimcu_png_header *header)
{
    static const uint8_t channels[] = {[0] = 1, [2] = 3, [3] = 1, [4] = 2, [6] = 4};
    const uint8_t *const data = chunk->data;
    if (chunk->type != SSIMCU_PNG_IHDR || chunk->size != 13) return false;
    header->width = ssimcu_png_u32(data);
    header->height = ssimcu_png_u32(data + 4);
    header->bits = data[8];
    header->palette = data[9] == 3;
    header->channels = data[9] < sizeof channels ? channels[data[9]] : 0;
    const bool plain = data[10] == 0 && data[11] == 0 && data[12] == 0;
    return plain && header->channels && header->width - 1 < INT32_MAX &&
           header->height - 1 < INT32_MAX &&
           (header->bits == 8 || (header->bits == 16 && !header->palette));
}

static bool read_plte(const ssimcu_png_chunk *chunk, ssimcu_png_header *header)
{
    if (!header->palette || header->color_count || chunk->size % 3 || !chunk->size ||
        chunk->size > 768)
        return false;
    header->color_count = (uint16_t)(chunk->size / 3);
    for (uint32_t i = 0; i < header->color_count; i++) {
        memcpy(header->color[i], chunk->data + (size_t)3 * i, 3);
        header->color[i][3] = 255;
    }
    return true;
}

static bool read_trns(const ssimcu_png_chunk *chunk, ssimcu_png_header *header)
{
    if (header->alpha || header->key) return false;
    if (header->palette) {
        if (!chunk->size || chunk->size > header->color_count) return false;
        for (uint32_t i = 0; i < chunk->size; i++) header->color[i][3] = chunk->data[i];
        header->alpha = true;
        return true;
    }
    if (header->channels % 2 == 0 || chunk->size != (uint32_t)header->channels * 2) return false;
    for (int i = 0; i < header->channels; i++) {
        const int value = chunk->data[2 * i] << 8 | chunk->data[2 * i + 1];
        if (value >> header->bits) return false;
        header->key_color[i] = (uint16_t)value;
    }
    header->key = true;
    return true;
}

bool ssimcu_png_chunks_read_header(const ssimcu_file *file, ssimcu_png_header *header)
{
    ssimcu_png_chunk chunk;
    if (!ssimcu_png_chunk_at(file, SSIMCU_PNG_SIGNATURE, &chunk) || !crc_is_right(&chunk) ||
        !read_ihdr(&chunk, header))
        return false;
    for (;;) {
        header->data = chunk.next;
        if (!ssimcu_png_chunk_at(file, chunk.next, &chunk)) return false;
        if (chunk.type == SSIMCU_PNG_IDAT) return !header->palette || header->color_count;
        if (!crc_is_right(&chunk)) return false;
        if (is_skipped(&chunk)) continue;
        if (chunk.type == SSIMCU_PNG_PLTE
                ? !read_plte(&chunk, header)
                : chunk.type != SSIMCU_PNG_tRNS || !read_trns(&chunk, header))
            return false;
    }
}

bool ssimcu_png_chunks_end_well(const ssimcu_file *file, size_t at)
{
    ssimcu_png_chunk chunk = {.next = at};
    while (ssimcu_png_chunk_at(file, chunk.next, &chunk) && crc_is_right(&chunk)) {
        if (chunk.type == SSIMCU_PNG_IEND) return chunk.size == 0;
        if (!is_skipped(&chunk)) return false;
    }
    return false;
}
