#include "pictures.h"

#include <png.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t noise_state = 1;

static uint32_t noise(void)
{
    noise_state ^= noise_state << 13;
    noise_state ^= noise_state >> 17;
    noise_state ^= noise_state << 5;
    return noise_state;
}

/* A function that gives one sample, 16 bits, of a kind of picture. The photo is RGB of 8 bits. */
typedef uint32_t sample_of(const ssimcu_frame *photo, uint32_t x, uint32_t y, uint32_t channel);

static uint32_t photo_sample(const ssimcu_frame *photo, uint32_t x, uint32_t y, uint32_t channel)
{
    const uint8_t *const row = (const uint8_t *)photo->data + y * photo->pitch;
    return channel == 3 ? 0xFFFF : row[x * 3 + channel] * 257U;
}

/* Draws a cut-out: transparent outside a circle, soft at its edge. */
static uint32_t cut_out(const ssimcu_frame *photo, uint32_t x, uint32_t y, uint32_t channel)
{
    const double dx = x - photo->width / 2.0, dy = y - photo->height / 2.0;
    const double inside = photo->height * photo->height / 5.0 - dx * dx - dy * dy;
    const double alpha = inside < 0 ? 0 : inside > 65535 ? 65535 : inside;
    if (channel == 3 || alpha == 0) return (uint32_t)alpha;
    return photo_sample(photo, x, y, channel);
}

/* Gives the photo's samples with noise in the lower bits, as a camera or a renderer has there. */
static uint32_t deep_photo(const ssimcu_frame *photo, uint32_t x, uint32_t y, uint32_t channel)
{
    const uint32_t sample = photo_sample(photo, x, y, channel);
    return channel == 3 ? sample : (sample & 0xFF00) | (noise() & 0xFF);
}

/* Draws windows, rules and lines of text in a few colours. */
static uint32_t screenshot(const ssimcu_frame *photo, uint32_t x, uint32_t y, uint32_t channel)
{
    static const uint32_t color[4][3] = {
        {250, 250, 250}, {40, 44, 52}, {97, 175, 239}, {30, 30, 30}};
    (void)photo;
    const uint32_t window = (x / 640 + y / 540) % 2, line = y % 18, letter = x / 9;
    const uint32_t hash = (letter * 2654435761U) ^ (y / 18 * 40503U);
    const bool ink = line > 3 && line < 14 && (hash >> 8) % 5 && (x % 9) < 7 &&
                     (hash >> (x % 9 + line % 5 * 3) & 1);
    const uint32_t *const now = y % 540 < 28 ? color[2]
                                : ink        ? color[3 - 3 * window]
                                             : color[window];
    return now[channel % 3] * 257;
}

/* Draws shapes in flat and slowly changing colours, as a renderer without textures does. */
static uint32_t flat(const ssimcu_frame *photo, uint32_t x, uint32_t y, uint32_t channel)
{
    const double dx = x - photo->width / 3.0, dy = y - photo->height / 2.0;
    if (dx * dx + dy * dy < photo->height * 200.0) return (200 - 40 * channel) * 257;
    if (y > photo->height * 2 / 3) return ((x / 256 + y / 128) % 2 * 60 + 80) * 257;
    return (60 + 20 * channel + y * 100 / photo->height) * 257;
}

static uint32_t pure_noise(const ssimcu_frame *photo, uint32_t x, uint32_t y, uint32_t channel)
{
    (void)photo, (void)x, (void)y, (void)channel;
    return noise() >> 16;
}

struct kind {
    const char *name;
    sample_of *sample;
    int bits, color, level;
};

static void fill_row(const struct kind *kind, const ssimcu_frame *photo, uint32_t y, uint8_t *row)
{
    static const uint32_t channels_of[] = {1, 0, 3, 1, 2, 0, 4};
    const uint32_t channels = channels_of[kind->color];
    for (uint32_t x = 0; x < photo->width; x++)
        for (uint32_t c = 0; c < channels; c++) {
            const uint32_t from = channels == 2 && c == 1 ? 3 : channels < 3 ? 1 : c;
            const uint32_t sample = kind->sample(photo, x, y, from);
            *row++ = (uint8_t)(sample >> 8);
            if (kind->bits == 16) *row++ = (uint8_t)sample;
        }
}

static void set_palette(png_structp png, png_infop info)
{
    png_color palette[256];
    for (int i = 0; i < 256; i++)
        palette[i] = (png_color){(png_byte)i, (png_byte)(255 - i), (png_byte)(i / 2)};
    png_set_PLTE(png, info, palette, 256);
}

static void write_one(const struct kind *kind, const ssimcu_frame *photo, const char *path)
{
    FILE *const file = fopen(path, "wb");
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    uint8_t *const row = malloc((size_t)photo->width * 8);
    if (!file || !info || !row) exit(1);
    png_init_io(png, file);
    png_set_IHDR(png, info, photo->width, photo->height, kind->bits, kind->color,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (kind->color == PNG_COLOR_TYPE_PALETTE) set_palette(png, info);
    png_set_compression_level(png, kind->level);
    png_write_info(png, info);
    for (uint32_t y = 0; y < photo->height; y++) {
        fill_row(kind, photo, y, row);
        png_write_row(png, row);
    }
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    free(row);
    if (fclose(file) != 0) exit(1);
}

void write_pictures(const char *directory, const ssimcu_frame *photo, struct picture *pictures)
{
    static const struct kind kinds[PICTURES] = {
        {"photo, level 1", photo_sample, 8, PNG_COLOR_TYPE_RGB, 1},
        {"photo, level 6", photo_sample, 8, PNG_COLOR_TYPE_RGB, 6},
        {"photo, level 9", photo_sample, 8, PNG_COLOR_TYPE_RGB, 9},
        {"screenshot", screenshot, 8, PNG_COLOR_TYPE_RGB, 6},
        {"flat render", flat, 8, PNG_COLOR_TYPE_RGB, 6},
        {"noise", pure_noise, 8, PNG_COLOR_TYPE_RGB, 6},
        {"RGBA8 cut-out", cut_out, 8, PNG_COLOR_TYPE_RGBA, 6},
        {"RGB16 photo", deep_photo, 16, PNG_COLOR_TYPE_RGB, 6},
        {"RGBA16 cut-out", cut_out, 16, PNG_COLOR_TYPE_RGBA, 6},
        {"grey 16 photo", deep_photo, 16, PNG_COLOR_TYPE_GRAY, 6},
        {"grey 8 photo", photo_sample, 8, PNG_COLOR_TYPE_GRAY, 6},
        {"grey 8 and alpha", cut_out, 8, PNG_COLOR_TYPE_GRAY_ALPHA, 6},
        {"palette of 256", photo_sample, 8, PNG_COLOR_TYPE_PALETTE, 6},
    };
    for (int i = 0; i < PICTURES; i++) {
        pictures[i].name = kinds[i].name;
        snprintf(pictures[i].path, sizeof pictures[i].path, "%s/%02d.png", directory, i);
        FILE *const there = fopen(pictures[i].path, "rb");
        if (there)
            fclose(there); /* kept from an earlier run */
        else
            write_one(&kinds[i], photo, pictures[i].path);
    }
}
