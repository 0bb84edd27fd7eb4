#include "png_maker.h"

#include "png_readers.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

size_t png_row_bytes(png_shape shape) { return shape.width * (size_t)png_pixel_bytes(shape); }

uint32_t png_pixel_bytes(png_shape shape)
{
    static const uint32_t channels[] = {1, 0, 3, 1, 2, 0, 4};
    return channels[shape.color] * (uint32_t)shape.bits / 8;
}

uint32_t png_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    return *state ^= *state << 5;
}

static void set_u32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++) at[i] = (uint8_t)(value >> (24 - 8 * i));
}

void png_put(made_png *png, const void *bytes, size_t size)
{
    if (png->capacity < png->size + size) {
        png->capacity = 2 * (png->size + size);
        png->bytes = realloc(png->bytes, png->capacity);
        if (!png->bytes) abort();
    }
    if (size) memcpy(png->bytes + png->size, bytes, size);
    png->size += size;
}

void png_put_chunk(made_png *png, const char *type, const void *data, size_t size)
{
    uint8_t word[4];
    set_u32(word, (uint32_t)size);
    png_put(png, word, 4);
    png_put(png, type, 4);
    png_put(png, data, size);
    set_u32(word, (uint32_t)crc32(0, png->bytes + png->size - size - 4, (uInt)size + 4));
    png_put(png, word, 4);
}

void png_put_start(made_png *png, png_shape shape)
{
    uint8_t header[13] = {[8] = (uint8_t)shape.bits, [9] = (uint8_t)shape.color};
    set_u32(header, shape.width);
    set_u32(header + 4, shape.height);
    png_put(png, "\x89PNG\r\n\x1A\n", 8);
    png_put_chunk(png, "IHDR", header, sizeof header);
}

void png_put_idats(made_png *png, const uint8_t *zlib, size_t size, size_t idat)
{
    do {
        const size_t part = idat && idat < size ? idat : size;
        png_put_chunk(png, "IDAT", zlib, part);
        zlib += part;
        size -= part;
    } while (size);
}

uint8_t *png_deflate(const uint8_t *raw, size_t size, png_style style, size_t *made)
{
    z_stream z = {0};
    if (deflateInit2(&z, style.level, Z_DEFLATED, style.window_bits, 8, style.strategy) != Z_OK)
        abort();
    const size_t room = deflateBound(&z, size) + 64;
    uint8_t *const bytes = malloc(room);
    z.next_in = (uint8_t *)raw, z.avail_in = (uInt)size;
    z.next_out = bytes, z.avail_out = (uInt)room;
    if (!bytes || deflate(&z, Z_FINISH) != Z_STREAM_END) abort();
    *made = room - z.avail_out;
    deflateEnd(&z);
    return bytes;
}

void png_make(made_png *png, png_shape shape, png_style style, const uint8_t *raw)
{
    size_t size = 0;
    uint8_t *const zlib = png_deflate(raw, shape.height * (png_row_bytes(shape) + 1), style, &size);
    png_put_start(png, shape);
    if (shape.color == PALETTE) {
        uint8_t palette[768];
        for (size_t i = 0; i < sizeof palette; i++) palette[i] = (uint8_t)(i * 7 + i / 256);
        png_put_chunk(png, "PLTE", palette, sizeof palette);
    }
    png_put_idats(png, zlib, size, style.idat);
    png_put_chunk(png, "IEND", "", 0);
    free(zlib);
}

void png_repair_crcs(made_png *png)
{
    ssimcu_file file = {.bytes = png->bytes, .size = png->size};
    for (size_t at = 8; file.size >= 12 && at <= file.size - 12;) {
        const uint64_t size = ssimcu_png_u32(png->bytes + at);
        if (size > file.size - at - 12) break;
        set_u32(png->bytes + at + 8 + size,
                (uint32_t)crc32(0, png->bytes + at + 4, (uInt)size + 4));
        at += 12 + size;
    }
}

/* ---- Both readers ---------------------------------------------------------------------------- */

static void count_remark(void *user, const char *line)
{
    (void)line;
    ++*(int *)user;
}

enum { MOST_BYTES = 1 << 26, PAD = 3 };

static bool shape_frame(ssimcu_frame *frame)
{
    frame->pitch = (size_t)frame->width * frame->channels * frame->bits / 8 + PAD;
    const uint64_t size = (uint64_t)frame->pitch * frame->height;
    frame->data = size <= MOST_BYTES ? malloc((size_t)size) : NULL; /* exact, for sanitizers */
    if (frame->data) memset(frame->data, 0xA5, (size_t)size);
    return frame->data != NULL;
}

/* Returns whether the fast reader does the same with one more thread: the same frame, from its
 * padding on, or a refusal too. */
static bool two_threads_agree(ssimcu_file file, const ssimcu_frame *fast, bool good)
{
    ssimcu_frame frame = *fast;
    if (!shape_frame(&frame)) return true;
    file.options.threads = 2;
    const bool same = ssimcu_png_read_fast(&file, &frame) == good &&
                      (!good || memcmp(frame.data, fast->data, fast->pitch * fast->height) == 0);
    free(frame.data);
    return same;
}

static enum verdict compare_pixels(const ssimcu_file *file, ssimcu_frame *fast,
                                   ssimcu_frame *libpng, const int *remarks)
{
    const bool one = ssimcu_png_read_fast(file, fast);
    const bool other = ssimcu_png_read_libpng(file, libpng) == SSIMCU_OK;
    if (!two_threads_agree(*file, fast, one)) return DIFFER;
    if (!one) return other ? ONLY_LIBPNG_READ : REFUSED;
    const size_t size = fast->pitch * fast->height;
    return other && !*remarks && memcmp(fast->data, libpng->data, size) == 0 ? BOTH_READ : DIFFER;
}

enum verdict png_compare_readers(const uint8_t *bytes, size_t size)
{
    int remarks = 0;
    const ssimcu_file file = {.name = "made.png",
                              .bytes = bytes,
                              .size = size,
                              .options = {.remark = count_remark, .user = &remarks}};
    ssimcu_frame fast = {0}, libpng = {0};
    if (size < 8) return REFUSED;
    const bool one = ssimcu_png_read_fast(&file, &fast);
    const bool other = ssimcu_png_read_libpng(&file, &libpng) == SSIMCU_OK;
    if (one && (!other || remarks || memcmp(&fast, &libpng, sizeof fast) != 0)) return DIFFER;
    if (!other) return REFUSED;
    fast = libpng;
    if (!shape_frame(&fast)) return REFUSED; /* too large for a test */
    enum verdict verdict = DIFFER;
    if (shape_frame(&libpng)) verdict = compare_pixels(&file, &fast, &libpng, &remarks);
    free(fast.data);
    free(libpng.data);
    return verdict;
}
