/* PNGs at the edge of what is read: how the compressed data may end, animations, the longest sides.
 */
#include "image_file.h"
#include "png_maker.h"
#include "png_readers.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

TestSuite(png_limits, .init = make_scratch, .fini = remove_scratch);

static const png_style plain = {.level = 1, .window_bits = 15};

/* A stream, and what is done to it. */
struct ending {
    png_shape shape;
    size_t raw;         /* bytes of rows with their filter bytes */
    size_t lost;        /* bytes that are missing at the stream's end */
    size_t split;       /* bytes of the stream behind the first IDAT */
    size_t third;       /* bytes of those in a third IDAT */
    size_t more;        /* surplus image data, in a block of its own */
    const char *after;  /* bytes behind the stream, in its last IDAT; NULL: none */
    uint8_t wrong;      /* changes the last byte */
    const char *behind; /* data of an IDAT behind the stream; NULL: none */
    bool apart;         /* an empty IDAT stands before that one */
};

/* Makes a stream of rows without a filter. Its blocks are not stored: only behind other blocks does
 * zlib leave the checksum unread when it has the last pixel. Surplus data stands behind an empty
 * block. */
static size_t make_stream(uint8_t *to, size_t room, const struct ending *e)
{
    static uint8_t raw[1 << 12];
    uint32_t state = 8;
    for (size_t i = 0; i < sizeof raw; i++)
        raw[i] = i % (e->raw / e->shape.height) ? png_random(&state) >> 4 & 3 : 0;
    z_stream z = {
        .next_in = raw, .avail_in = (uInt)e->raw, .next_out = to, .avail_out = (uInt)room};
    cr_assert(deflateInit(&z, 6) == Z_OK);
    if (e->more) cr_assert(deflate(&z, Z_SYNC_FLUSH) == Z_OK);
    z.avail_in += (uInt)e->more;
    cr_assert(deflate(&z, Z_FINISH) == Z_STREAM_END);
    size_t size = z.total_out;
    deflateEnd(&z);
    to[size - 1] ^= e->wrong;
    if (e->after) strcpy((char *)to + size, e->after);
    size += e->after ? strlen(e->after) : 0;
    return size - e->lost;
}

static enum verdict compare_ending(struct ending e)
{
    static uint8_t zlib[1 << 12];
    const size_t size = make_stream(zlib, sizeof zlib, &e);
    made_png png = {0};
    png_put_start(&png, e.shape);
    png_put_chunk(&png, "IDAT", zlib, size - e.split);
    if (e.split) png_put_chunk(&png, "IDAT", zlib + size - e.split, e.split - e.third);
    if (e.third) png_put_chunk(&png, "IDAT", zlib + size - e.third, e.third);
    if (e.apart) png_put_chunk(&png, "IDAT", "", 0);
    if (e.behind) png_put_chunk(&png, "IDAT", e.behind, strlen(e.behind));
    png_put_chunk(&png, "IEND", "", 0);
    const enum verdict verdict = png_compare_readers(png.bytes, png.size);
    free(png.bytes);
    return verdict;
}

/* libpng reads each by itself, so it is the stream's check that has to notice. */
Test(png_limits, refuses_a_wrong_end_wherever_idats_are_cut)
{
    static const struct ending kinds[] = {{{23, 17, 8, RGB}, 17 * 70, .lost = 0},
                                          {{23, 17, 1, GREY}, 17 * 4, .lost = 0},
                                          {{23, 17, 4, GREY}, 17 * 13, .lost = 0}};
    for (size_t kind = 0; kind < 3; kind++)
        for (size_t cut = 0; cut < 16 * 16; cut++) {
            const enum verdict right = kind ? ONLY_LIBPNG_READ : BOTH_READ;
            struct ending e = kinds[kind];
            e.split = cut / 16;
            e.third = cut % 16;
            if (e.third > 0 && e.third >= e.split) continue;
            cr_expect_eq(compare_ending(e), right, "%zu, %zu", kind, cut);
            e.behind = "";
            cr_expect_eq(compare_ending(e), right, "%zu, %zu: an empty IDAT", kind, cut);
            e.behind = "s";
            cr_expect_eq(compare_ending(e), REFUSED, "%zu, %zu: surplus", kind, cut);
            e.apart = true;
            cr_expect_eq(compare_ending(e), REFUSED, "%zu, %zu: surplus apart", kind, cut);
            e.apart = false, e.behind = NULL, e.wrong = 1;
            cr_expect_eq(compare_ending(e), REFUSED, "%zu, %zu: a wrong sum", kind, cut);
            e.wrong = 0, e.after = "s";
            cr_expect_eq(compare_ending(e), REFUSED, "%zu, %zu: surplus behind it", kind, cut);
            e.after = NULL, e.more = 4;
            cr_expect_eq(compare_ending(e), REFUSED, "%zu, %zu: image data", kind, cut);
            e.more = 0;
            for (e.lost = 1; e.lost <= 4; e.lost++)
                cr_expect_eq(compare_ending(e), REFUSED, "%zu, %zu: %zu lost", kind, cut, e.lost);
        }
}

/* An animation of one frame is a picture. */
Test(png_limits, refuses_animations)
{
    static const uint8_t raw[2] = {0, 7};
    for (uint8_t frames = 0; frames < 4; frames++) {
        const uint8_t control[8] = {[3] = frames};
        const file_name path = scratch("animation.png");
        size_t size = 0;
        uint8_t *const zlib = png_deflate(raw, sizeof raw, plain, &size);
        made_png png = {0};
        png_put_start(&png, (png_shape){1, 1, 8, GREY});
        png_put_chunk(&png, "acTL", control, sizeof control);
        png_put_idats(&png, zlib, size, 0);
        png_put_chunk(&png, "IEND", "", 0);
        FILE *const file = fopen(path.text, "wb");
        cr_assert(file && fwrite(png.bytes, 1, png.size, file) == png.size && fclose(file) == 0);
        cr_expect(try_image(path.text, NULL) == (frames > 1 ? SSIMCU_ERROR_UNSUPPORTED : SSIMCU_OK),
                  "%u", frames);
        free(zlib);
        free(png.bytes);
    }
}

/* The fast reader by itself: libpng and the stream's check stand behind it in the program. The
 * longer stream ends where the window does, which has 65536 bytes. */
Test(png_limits, fast_reader_refuses_surplus_idats)
{
    static const png_style stored = {.level = 0, .window_bits = 15};
    static const char *const behind[] = {"", "s", "surplus"};
    static uint8_t raw[65525], sample[sizeof raw];
    for (size_t i = 0; i < 12; i++) {
        const uint32_t width = i < 6 ? 1 : sizeof raw - 1;
        made_png png = {0};
        size_t size = 0;
        uint8_t *const zlib = png_deflate(raw, width + 1, stored, &size);
        cr_assert(i < 6 || size == 65536);
        png_put_start(&png, (png_shape){width, 1, 8, GREY});
        png_put_chunk(&png, "IDAT", zlib, size);
        if (i % 6 >= 3) png_put_chunk(&png, "IDAT", "", 0);
        png_put_chunk(&png, "IDAT", behind[i % 3], strlen(behind[i % 3]));
        png_put_chunk(&png, "IEND", "", 0);
        const ssimcu_file file = {.name = "a.png", .bytes = png.bytes, .size = png.size};
        ssimcu_frame frame = {width, 1, 1, 8, width, sample, 0};
        cr_expect_eq(ssimcu_png_read_fast(&file, &frame), i % 3 == 0, "%zu", i);
        free(zlib);
        free(png.bytes);
    }
}

/* Pictures of one row or column, with as many pixels as the greatest side. */
Test(png_limits, refuses_sides_that_no_frame_may_have)
{
    enum { MOST = (1 << 24) - 1 };
    const file_name path = scratch("long.png");
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t side = MOST + i / 2;
        const png_shape shape =
            i % 2 ? (png_shape){side, 1, 8, GREY} : (png_shape){1, side, 8, GREY};
        const size_t size = i % 2 ? side + 1 : 2 * (size_t)side;
        uint8_t *const raw = calloc(size, 1);
        made_png png = {0};
        png_make(&png, shape, plain, raw);
        FILE *const file = fopen(path.text, "wb");
        cr_assert(file && fwrite(png.bytes, 1, png.size, file) == png.size && fclose(file) == 0);
        ssimcu_frame frame;
        ssimcu_message why = {{0}};
        const ssimcu_status status = ssimcu_image_read(path.text, NULL, &frame, &why);
        cr_expect_eq(status, side > MOST ? SSIMCU_ERROR_LIMIT : SSIMCU_OK, "%u: %s", i, why.text);
        if (status == SSIMCU_ERROR_LIMIT) expect_message(&why, path.text, "16777215 on a side");
        ssimcu_frame_free(&frame);
        free(png.bytes);
        free(raw);
    }
}
