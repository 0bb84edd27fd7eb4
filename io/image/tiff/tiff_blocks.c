/* Reads the strips or tiles of a TIFF. It is an error if one is missing, lies outside the file, is
 * too short, or does not decode to all of its pixels. */
#include "tiff_page.h"

#include "image/orientation.h"
#include "sample_size.h"
#include "tiff_unpack.h"

#include <stdlib.h>
#include <string.h>

/* ---- Sizes ----------------------------------------------------------------------------------- */

static uint64_t row_bytes(const ssimcu_tiff *t)
{
    return (uint64_t)t->block_width * (t->samples / t->planes) * (t->bits / 8);
}

/* Returns the rows of a block; tiles are always whole. */
static uint32_t block_rows(const ssimcu_tiff *t, uint32_t down)
{
    const uint32_t left = t->height - down * t->block_height;
    return t->tiled || left > t->block_height ? t->block_height : left;
}

/* Returns the maximum number of bytes that one compressed byte expands to. */
static uint64_t expansion(const ssimcu_tiff *t)
{
    switch (t->compression) {
    case COMPRESSION_NONE: return 1;
    case COMPRESSION_PACKBITS: return 64;
    case COMPRESSION_LZW: return 4096;
    default: return 1032;
    }
}

static ssimcu_status check_block(ssimcu_tiff *t, uint32_t block, uint64_t wanted, bool last)
{
    const uint64_t from = TIFFGetStrileOffset(t->tiff, block);
    const uint64_t size = TIFFGetStrileByteCount(t->tiff, block), all = t->file->size;
    const uint64_t whole = row_bytes(t) * t->block_height;
    const char *const what = t->tiled ? "tile" : "strip";
    if (size == 0 || from == 0)
        FAIL_FILE(t->file, DATA, "damaged TIFF (%s %u is missing)", what, block);
    if (from > all || size > all - from)
        FAIL_FILE(t->file, DATA, "truncated TIFF (%s %u ends beyond the file)", what, block);
    if (wanted > UINT32_MAX || size > UINT32_MAX)
        FAIL_FILE(t->file, LIMIT, "%s %u is above 4 GiB", what, block);
    const bool surplus = t->compression == COMPRESSION_NONE && size != wanted &&
                         !(last && size == whole); /* some programs pad the last strip */
    if (surplus || wanted / expansion(t) > size)
        FAIL_FILE(t->file, DATA, "damaged TIFF (%s %u has %llu bytes for %llu)", what, block,
                  (unsigned long long)size, (unsigned long long)wanted);
    return SSIMCU_OK;
}

/* Limits the size of tiles. A tile may be larger than the picture, but a hostile file could exhaust
 * memory, because decoding holds a whole one. */
static ssimcu_status check_tiles(const ssimcu_tiff *t)
{
    enum { SMALL = 1 << 20, TIMES = 16 };
    const uint64_t pixels = (uint64_t)t->block_width * t->block_height;
    if (!t->tiled || pixels <= SMALL) return SSIMCU_OK;
    if (pixels > (uint64_t)t->width * t->height * TIMES)
        FAIL_FILE(t->file, LIMIT, "tiles of %ux%u pixels for a picture of %ux%u", t->block_width,
                  t->block_height, t->width, t->height);
    if (pixels <= t->file->options.max_pixels) return SSIMCU_OK;
    FAIL_FILE(t->file, LIMIT, "tiles of %ux%u pixels, the limit is %llu in all", t->block_width,
              t->block_height, (unsigned long long)t->file->options.max_pixels);
}

ssimcu_status ssimcu_tiff_check_blocks(ssimcu_tiff *t)
{
    const uint64_t blocks = (uint64_t)t->across * t->down * t->planes;
    TRY(check_tiles(t));
    if (blocks != (t->tiled ? TIFFNumberOfTiles(t->tiff) : TIFFNumberOfStrips(t->tiff)))
        return ssimcu_tiff_damaged(t, "wrong number of strips or tiles");
    for (uint32_t block = 0; block < blocks; block++) {
        const uint32_t down = block / t->across % t->down;
        TRY(check_block(t, block, row_bytes(t) * block_rows(t, down), down == t->down - 1));
    }
    return t->complaint[0] ? ssimcu_tiff_damaged(t, "") : SSIMCU_OK;
}

/* ---- Pixels ---------------------------------------------------------------------------------- */

struct target {
    const ssimcu_frame *frame;
    ssimcu_placement placing;
    size_t sample;   /* bytes of a sample in the frame */
    uint8_t *block;  /* the decoded block */
    uint8_t *pixels; /* one row of the block, as samples of the frame */
};

/* Returns whether strips could be decoded directly into a suitable frame. */
static bool is_plain(const ssimcu_tiff *t)
{
    return !t->tiled && t->planes == 1 && t->orientation == ORIENTATION_TOPLEFT &&
           t->photometric != PHOTOMETRIC_PALETTE &&
           !(t->associated && (t->bits == 8 || t->floating));
}

uint64_t ssimcu_tiff_block_bytes(const ssimcu_tiff *t)
{
    return is_plain(t) ? 0 : row_bytes(t) * t->block_height;
}

static ssimcu_tiff_unpack *unpack_of(const ssimcu_tiff *t)
{
    switch (t->compression) {
    case COMPRESSION_NONE: return ssimcu_tiff_unpack_copy;
    case COMPRESSION_PACKBITS: return ssimcu_tiff_unpack_packbits;
    case COMPRESSION_LZW: return ssimcu_tiff_unpack_lzw;
    default: return ssimcu_inflate;
    }
}

static void swap_bytes(const ssimcu_tiff *t, void *samples, size_t count)
{
    uint16_t *const half = samples;
    uint32_t *const whole = samples;
    if (t->bits == 16)
        for (size_t i = 0; i < count; i++) half[i] = (uint16_t)(half[i] << 8 | half[i] >> 8);
    else if (t->bits == 32)
        for (size_t i = 0; i < count; i++) whole[i] = __builtin_bswap32(whole[i]);
}

/* Converts the bytes of a block to samples: corrects the byte order and undoes the predictor. */
static void finish(const ssimcu_tiff *t, uint8_t *rows, uint32_t count)
{
    const size_t step = t->samples / t->planes, samples = t->block_width * step;
    const bool by_bytes = t->predictor == PREDICTOR_FLOATINGPOINT; /* their order is fixed */
    if (t->swapped && !by_bytes) swap_bytes(t, rows, samples * count);
    for (uint32_t y = 0; y < count && t->predictor != PREDICTOR_NONE; y++) {
        uint8_t *const row = rows + y * row_bytes(t);
        if (by_bytes)
            ssimcu_tiff_unpack_sum_bytes(row, samples, step, t->bits / 8, t->row);
        else if (t->bits == 8)
            ssimcu_tiff_unpack_sum_8(row, samples, step);
        else if (t->bits == 16)
            ssimcu_tiff_unpack_sum_16((void *)row, samples, step);
        else
            ssimcu_tiff_unpack_sum_32((void *)row, samples, step);
    }
}

static ssimcu_status decode_block(const ssimcu_tiff *t, uint32_t block, uint8_t *to)
{
    const uint32_t rows = block_rows(t, block / t->across % t->down);
    const uint8_t *const from = t->file->bytes + TIFFGetStrileOffset(t->tiff, block);
    const size_t size = TIFFGetStrileByteCount(t->tiff, block);
    if (!unpack_of(t)(from, size, to, row_bytes(t) * rows))
        FAIL_FILE(t->file, DATA, "damaged TIFF (%s %u does not decode to its pixels)",
                  t->tiled ? "tile" : "strip", block);
    finish(t, to, rows);
    return SSIMCU_OK;
}

/* Converts `count` stored samples to the frame's: palette indices to colours, 8 bits to 16. Returns
 * the result. */
static const uint8_t *convert(const ssimcu_tiff *t, const struct target *to, const uint8_t *from,
                              size_t count)
{
    uint16_t *const wide = (void *)to->pixels;
    if (t->photometric == PHOTOMETRIC_PALETTE) {
        for (size_t i = 0; i < count * 3; i++) {
            const uint16_t value = t->map[i % 3][from[i / 3]];
            if (to->sample == 1)
                to->pixels[i] = (uint8_t)(value >> 8);
            else
                wide[i] = value;
        }
    } else if (t->floating && t->associated && t->planes == 1) { /* drops alpha */
        const size_t pixel = t->samples * to->sample, kept = pixel - to->sample;
        for (size_t i = 0; i < count / t->samples; i++)
            memcpy(to->pixels + i * kept, from + i * pixel, kept);
    } else if (to->sample * 8 > t->bits) {
        for (size_t i = 0; i < count; i++) wide[i] = (uint16_t)(from[i] * 257);
    } else {
        return from;
    }
    return to->pixels;
}

static void scatter(uint8_t *to, ptrdiff_t step, const uint8_t *from, size_t count, size_t size)
{
    if (step == (ptrdiff_t)size)
        memcpy(to, from, count * size);
    else if (size == 1)
        for (size_t i = 0; i < count; i++) to[(ptrdiff_t)i * step] = from[i];
    else if (size == 2)
        for (size_t i = 0; i < count; i++) memcpy(to + (ptrdiff_t)i * step, from + i * 2, 2);
    else
        for (size_t i = 0; i < count; i++) memcpy(to + (ptrdiff_t)i * step, from + i * size, size);
}

/* Copies the part of a decoded block that lies inside the picture. */
static void place(const ssimcu_tiff *t, const struct target *to, uint32_t block)
{
    const uint32_t plane = block / t->across / t->down, down = block / t->across % t->down;
    const uint32_t x = block % t->across * t->block_width, y = down * t->block_height;
    const uint32_t columns = t->width - x < t->block_width ? t->width - x : t->block_width;
    const uint32_t rows = t->height - y < t->block_height ? t->height - y : t->block_height;
    const size_t size = t->planes == 1 ? to->frame->channels * to->sample : to->sample;
    const size_t samples = (size_t)columns * (t->samples / t->planes);
    if (plane >= to->frame->channels) return; /* alpha is not read */
    uint8_t *const first = to->placing.first + plane * to->sample + x * to->placing.next_pixel;
    for (uint32_t row = 0; row < rows; row++) {
        const uint8_t *const from = convert(t, to, to->block + row * row_bytes(t), samples);
        scatter(first + (y + row) * to->placing.next_row, to->placing.next_pixel, from, columns,
                size);
    }
}

/* Inverts grey whose 0 is white. */
static void invert(const ssimcu_frame *frame)
{
    for (uint32_t y = 0; y < frame->height; y++) {
        uint8_t *const row = (uint8_t *)frame->data + y * frame->pitch;
        uint16_t *const wide = (void *)row;
        for (size_t x = 0; x < (size_t)frame->width * frame->channels; x += frame->channels) {
            if (frame->bits == 8)
                row[x] = (uint8_t)~row[x];
            else
                wide[x] = (uint16_t)~wide[x];
        }
    }
}

/* Divides colours by the alpha that they were multiplied by. A colour above alpha, which is light
 * without coverage, has no such quotient. Alpha then becomes the greatest colour, so that every
 * pixel over black equals the stored one within half a 16-bit step. */
static void straighten(const ssimcu_frame *frame)
{
    const uint32_t channels = frame->channels;
    for (uint32_t y = 0; y < frame->height; y++) {
        uint16_t *pixel = (void *)((uint8_t *)frame->data + y * frame->pitch);
        for (uint32_t x = 0; x < frame->width; x++, pixel += channels) {
            uint32_t alpha = 0;
            for (uint32_t c = 0; c < channels; c++)
                if (pixel[c] > alpha) alpha = pixel[c];
            pixel[channels - 1] = (uint16_t)alpha;
            if (alpha == 0 || alpha == UINT16_MAX) continue;
            for (uint32_t c = 0; c + 1 < channels; c++)
                pixel[c] = (uint16_t)((pixel[c] * 65535U + alpha / 2) / alpha);
        }
    }
}

/* Decodes strips directly into the frame. */
static ssimcu_status decode_plain(const ssimcu_tiff *t, const ssimcu_frame *frame)
{
    for (uint32_t block = 0; block < t->down; block++)
        TRY(decode_block(t, block,
                         (uint8_t *)frame->data + (size_t)block * t->block_height * frame->pitch));
    return SSIMCU_OK;
}

static ssimcu_status decode_placed(const ssimcu_tiff *t, const ssimcu_frame *frame)
{
    const size_t sample = ssimcu_sample_size(frame->bits);
    const uint32_t blocks = t->across * t->down * t->planes;
    struct target to = {.frame = frame,
                        .sample = sample,
                        .placing = ssimcu_orientation_place(frame, t->orientation),
                        .block = malloc(row_bytes(t) * t->block_height),
                        .pixels = malloc(t->block_width * frame->channels * sample)};
    ssimcu_status status = SSIMCU_OK;
    if (!to.block || !to.pixels)
        status = ssimcu_file_fail(t->file, SSIMCU_ERROR_MEMORY, "out of memory");
    for (uint32_t block = 0; block < blocks && status == SSIMCU_OK; block++) {
        status = decode_block(t, block, to.block);
        if (status == SSIMCU_OK) place(t, &to, block);
    }
    free(to.block);
    free(to.pixels);
    return status;
}

ssimcu_status ssimcu_tiff_decode(ssimcu_tiff *t, const ssimcu_frame *frame)
{
    const bool plain = is_plain(t) && frame->pitch == row_bytes(t);
    if (t->predictor == PREDICTOR_FLOATINGPOINT && !(t->row = malloc(row_bytes(t))))
        FAIL_FILE(t->file, MEMORY, "out of memory");
    const ssimcu_status status = plain ? decode_plain(t, frame) : decode_placed(t, frame);
    free(t->row);
    if (status != SSIMCU_OK) return status;
    if (t->photometric == PHOTOMETRIC_MINISWHITE) invert(frame);
    if (t->associated && !t->floating) straighten(frame);
    return SSIMCU_OK;
}
