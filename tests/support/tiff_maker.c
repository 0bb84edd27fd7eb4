#include "tiff_maker.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

tiff_kind tiff_fill(tiff_kind kind)
{
    if (!kind.width) kind.width = 37;
    if (!kind.height) kind.height = 23;
    if (!kind.samples) kind.samples = 3;
    if (!kind.bits) kind.bits = 8;
    if (!kind.photometric)
        kind.photometric = 1 + (kind.samples < 3 ? PHOTOMETRIC_MINISBLACK : PHOTOMETRIC_RGB);
    if (!kind.compression) kind.compression = COMPRESSION_NONE;
    if (!kind.rows) kind.rows = 5;
    if (!kind.orientation) kind.orientation = 1;
    if (kind.samples % 2 == 0 && !kind.extra) kind.extra = 1 + EXTRASAMPLE_UNASSALPHA;
    if (!kind.mode) kind.mode = "l";
    return kind;
}

uint8_t *tiff_picture(const tiff_kind *kind, uint32_t seed)
{
    const size_t samples = (size_t)kind->width * kind->height * kind->samples;
    uint8_t *const bytes = malloc(samples * 4);
    cr_assert(bytes);
    for (size_t i = 0; i < samples * kind->bits / 8; i++) { /* flat parts, so that it compresses */
        seed = seed * 1664525 + 1013904223;
        bytes[i] = (uint8_t)(i / 40 % 3 ? seed >> 24 : i / 400);
    }
    return bytes;
}

/* Copies the samples of one plane, or of all of them, in part of a picture; zeros outside of it. */
static void cut(const tiff_kind *kind, const uint8_t *picture, uint32_t x, uint32_t y,
                uint32_t width, uint32_t height, int plane, uint8_t *to)
{
    const size_t size = kind->bits / 8, pixel = size * kind->samples;
    const size_t part = plane < 0 ? pixel : size, from = plane < 0 ? 0 : (size_t)plane * size;
    memset(to, 0, part * width * height);
    for (uint32_t j = y; j < y + height && j < kind->height; j++)
        for (uint32_t i = x; i < x + width && i < kind->width; i++)
            memcpy(to + ((j - y) * width + i - x) * part,
                   picture + (j * kind->width + i) * pixel + from, part);
}

static void write_blocks(TIFF *tiff, const tiff_kind *kind, const uint8_t *picture)
{
    const uint32_t across = kind->tile[0] ? kind->tile[0] : kind->width;
    const uint32_t down = kind->tile[0] ? kind->tile[1] : kind->rows;
    uint8_t *const block = malloc((size_t)across * down * kind->samples * 4);
    uint32_t number = 0;
    cr_assert(block);
    for (int plane = kind->planar ? 0 : -1; plane < (kind->planar ? kind->samples : 0); plane++)
        for (uint32_t y = 0; y < kind->height; y += down)
            for (uint32_t x = 0; x < kind->width; x += across) {
                const uint32_t left = kind->height - y;
                const uint32_t rows = kind->tile[0] || left > down ? down : left;
                const tmsize_t size =
                    (tmsize_t)across * rows * (kind->planar ? 1 : kind->samples) * kind->bits / 8;
                cut(kind, picture, x, y, across, rows, plane, block);
                cr_assert((kind->tile[0]
                               ? TIFFWriteEncodedTile(tiff, number++, block, size)
                               : TIFFWriteEncodedStrip(tiff, number++, block, size)) == size);
            }
    free(block);
}

static void set_tags(TIFF *tiff, const tiff_kind *kind)
{
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, kind->width);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, kind->height);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, kind->samples);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, kind->bits);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, kind->photometric - 1);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, kind->compression);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG,
                 kind->planar ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
    TIFFSetField(tiff, TIFFTAG_ORIENTATION, kind->orientation);
    if (kind->predictor) TIFFSetField(tiff, TIFFTAG_PREDICTOR, kind->predictor);
    if (kind->floating) TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_IEEEFP);
    if (kind->tile[0]) {
        TIFFSetField(tiff, TIFFTAG_TILEWIDTH, kind->tile[0]);
        TIFFSetField(tiff, TIFFTAG_TILELENGTH, kind->tile[1]);
    } else {
        TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, kind->rows);
    }
    const uint16_t extra = (uint16_t)(kind->extra - 1);
    if (kind->extra) TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &extra);
    if (kind->map)
        TIFFSetField(tiff, TIFFTAG_COLORMAP, kind->map, kind->map + 256, kind->map + 512);
    if (kind->tags) kind->tags(tiff);
}

/* Writes a grey page of 16 x 8 pixels. */
static void write_page(TIFF *tiff, bool thumbnail, void (*tags)(TIFF *tiff))
{
    const tiff_kind kind =
        tiff_fill((tiff_kind){.width = 16, .height = 8, .samples = 1, .tags = tags});
    uint8_t *const picture = tiff_picture(&kind, 5);
    set_tags(tiff, &kind);
    TIFFSetField(tiff, TIFFTAG_SUBFILETYPE, thumbnail ? FILETYPE_REDUCEDIMAGE : 0);
    write_blocks(tiff, &kind, picture);
    cr_assert(TIFFWriteDirectory(tiff));
    free(picture);
}

void tiff_write(const char *path, const tiff_kind *kind, const uint8_t *picture)
{
    TIFFSetWarningHandler(NULL);
    char mode[8] = "w";
    strcat(mode, kind->mode);
    TIFF *const tiff = TIFFOpen(path, mode);
    cr_assert(tiff);
    for (int i = 0; i < kind->thumbnails_before; i++) write_page(tiff, true, kind->page_tags);
    set_tags(tiff, kind);
    write_blocks(tiff, kind, picture);
    cr_assert(TIFFWriteDirectory(tiff));
    for (int i = 0; i < kind->pages_after; i++)
        write_page(tiff, kind->thumbnails_after, kind->page_tags);
    TIFFClose(tiff);
}

static uint32_t number(const uint8_t *at, int bytes)
{
    uint32_t value = 0;
    for (int i = bytes; i-- > 0;) value = value << 8 | at[i];
    return value;
}

void tiff_set(uint8_t *at, uint32_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) at[i] = (uint8_t)(value >> 8 * i);
}

uint8_t *tiff_entry(uint8_t *bytes, uint16_t tag)
{
    uint8_t *at = bytes + number(bytes + 4, 4);
    for (uint32_t left = number(at, 2); left > 0; left--)
        if (number(at + 2 + 12 * (left - 1), 2) == tag) return at + 2 + 12 * (left - 1);
    cr_assert(false, "no tag %u", tag);
    return NULL;
}
