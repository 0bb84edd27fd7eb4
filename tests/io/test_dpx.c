/* DPX: every depth, packing, byte order, kind and orientation, and lines that end within a word.
 * What is cut or not supported is refused and says why. */
#define _GNU_SOURCE /* memfd_create */
#include "image_file.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { HEADER = 2048, MOST = 1 << 16 };

struct kind {
    uint32_t width, height, channels, bits, packing, orientation, line_padding, image_padding;
    bool little_endian;
    bool ragged; /* lines of 8 and 16 bits end with their samples */
};

struct dpx {
    uint8_t bytes[MOST];
    size_t size;
    struct kind kind;
};

static void put(struct dpx *dpx, size_t at, uint32_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        dpx->bytes[at + i] = (uint8_t)(value >> 8 * (dpx->kind.little_endian ? i : bytes - 1 - i));
}

static uint32_t sample_at(const struct kind *kind, uint32_t x, uint32_t y, uint32_t c)
{
    uint32_t seed = (y * 1000 + x) * 4 + c;
    seed = seed * 2654435761U + 12345;
    return (seed ^ seed >> 15) >> 3 & ((1U << kind->bits) - 1);
}

/* Puts the line's samples from `at` on; returns where it ends. */
static size_t put_line(struct dpx *dpx, size_t at, uint32_t y)
{
    const struct kind *kind = &dpx->kind;
    const uint32_t count = kind->width * kind->channels;
    const uint32_t per_word = kind->packing ? 32 / (kind->bits == 12 ? 16 : kind->bits) : 0;
    uint64_t held = 0;
    uint32_t have = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t value = sample_at(kind, i / kind->channels, y, i % kind->channels);
        if (kind->bits == 8) {
            dpx->bytes[at++] = (uint8_t)value;
        } else if (kind->bits == 16 || (kind->bits == 12 && kind->packing)) {
            put(dpx, at, kind->bits == 12 && kind->packing == 1 ? value << 4 : value, 2);
            at += 2;
        } else if (kind->packing) { /* 10 bits */
            held |= (uint64_t)value << (20 - 10 * (i % per_word) + (kind->packing == 1 ? 2 : 0));
            if (i % per_word == per_word - 1 || i == count - 1) {
                put(dpx, at, (uint32_t)held, 4);
                at += 4;
                held = 0;
            }
        } else {
            held |= (uint64_t)value << have;
            have += kind->bits;
            for (; have >= 32 || (i == count - 1 && have > 0); have = have > 32 ? have - 32 : 0) {
                put(dpx, at, (uint32_t)held, 4);
                at += 4;
                held >>= 32;
            }
        }
    }
    while (!kind->ragged && at % 4 != 0) dpx->bytes[at++] = 0;
    memset(dpx->bytes + at, 0x5A, kind->line_padding);
    return at + kind->line_padding;
}

static void make(struct dpx *dpx, struct kind kind)
{
    static const uint8_t descriptor[] = {0, 6, 0, 50, 51};
    memset(dpx->bytes, 0xFF, HEADER);
    dpx->kind = kind;
    put(dpx, 0, 0x53445058, 4);
    put(dpx, 4, HEADER, 4);
    put(dpx, 768, kind.orientation, 2);
    put(dpx, 770, 1, 2);
    put(dpx, 772, kind.width, 4);
    put(dpx, 776, kind.height, 4);
    put(dpx, 780, 0, 4);
    dpx->bytes[800] = descriptor[kind.channels];
    dpx->bytes[803] = (uint8_t)kind.bits;
    put(dpx, 804, kind.packing, 2);
    put(dpx, 806, 0, 2);
    put(dpx, 808, HEADER, 4);
    put(dpx, 812, kind.line_padding ? kind.line_padding : 0xFFFFFFFF, 4);
    put(dpx, 816, kind.image_padding, 4);
    dpx->size = HEADER;
    for (uint32_t y = 0; y < kind.height; y++) dpx->size = put_line(dpx, dpx->size, y);
    memset(dpx->bytes + dpx->size, 0, kind.image_padding);
    dpx->size += kind.image_padding;
    put(dpx, 16, (uint32_t)dpx->size, 4);
}

static ssimcu_status read_dpx(const struct dpx *dpx, size_t size, ssimcu_frame *frame,
                              ssimcu_message *why)
{
    char path[32];
    const int fd = memfd_create("dpx", 0);
    cr_assert(fd >= 0 && write(fd, dpx->bytes, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/dev/fd/%d", fd);
    *why = (ssimcu_message){{0}};
    const ssimcu_status status = ssimcu_image_read(path, NULL, frame, why);
    close(fd);
    if (status != SSIMCU_OK) expect_message(why, path, "");
    return status;
}

/* Finds where a stored place is seen. The standard has eight ways to scan: first along a line,
 * then from line to line. */
static void turn(const struct kind *kind, uint32_t x, uint32_t y, uint32_t *across, uint32_t *down)
{
    const uint32_t mirrored_x = kind->width - 1 - x, mirrored_y = kind->height - 1 - y;
    switch (kind->orientation) {
    case 0: *across = x, *down = y; break;                   /* left to right, top to bottom */
    case 1: *across = mirrored_x, *down = y; break;          /* right to left, top to bottom */
    case 2: *across = x, *down = mirrored_y; break;          /* left to right, bottom to top */
    case 3: *across = mirrored_x, *down = mirrored_y; break; /* right to left, bottom to top */
    case 4: *across = y, *down = x; break;                   /* top to bottom, left to right */
    case 5: *across = mirrored_y, *down = x; break;          /* top to bottom, right to left */
    case 6: *across = y, *down = mirrored_x; break;          /* bottom to top, left to right */
    default: *across = mirrored_y, *down = mirrored_x;       /* bottom to top, right to left */
    }
}

static void check(struct kind kind)
{
    static struct dpx dpx;
    ssimcu_frame frame;
    ssimcu_message why;
    make(&dpx, kind);
    cr_assert(read_dpx(&dpx, dpx.size, &frame, &why) == SSIMCU_OK, "%s", why.text);
    cr_assert(frame.width == (kind.orientation < 4 ? kind.width : kind.height));
    cr_assert(frame.bits == kind.bits && frame.channels == kind.channels);
    for (uint32_t y = 0; y < kind.height; y++)
        for (uint32_t x = 0; x < kind.width; x++)
            for (uint32_t c = 0; c < kind.channels; c++) {
                uint32_t i, j;
                turn(&kind, x, y, &i, &j);
                const uint8_t *const row = row_of(&frame, j);
                const uint32_t at = i * kind.channels + c;
                const uint32_t got = kind.bits == 8 ? row[at] : ((const uint16_t *)(void *)row)[at];
                cr_assert(got == sample_at(&kind, x, y, c),
                          "%u channels of %u bits, packing %u, little endian %d, orientation %u, "
                          "%u wide: sample %u %u %u is %u",
                          kind.channels, kind.bits, kind.packing, kind.little_endian,
                          kind.orientation, kind.width, x, y, c, got);
            }
    ssimcu_frame_free(&frame);
}

Test(dpx, reads_every_layout)
{
    static const uint32_t depths[] = {8, 10, 12, 16};
    for (uint32_t i = 0; i < 4 * 3 * 3 * 2 * 8; i++) {
        static const uint32_t channels[] = {1, 3, 4};
        const struct kind kind = {.width = 21 + i % 7,
                                  .height = 9,
                                  .bits = depths[i % 4],
                                  .channels = channels[i / 4 % 3],
                                  .packing = i / 12 % 3,
                                  .little_endian = i / 36 % 2,
                                  .orientation = i / 72};
        if (kind.bits != 10 || kind.channels != 1) check(kind);
    }
}

/* The last word of a packed line may hold two bits of a sample alone. */
Test(dpx, reads_packed_lines_of_every_length)
{
    for (uint32_t i = 0; i < 33 * 4; i++)
        check((struct kind){.width = 1 + i / 4,
                            .height = 3,
                            .bits = i % 2 ? 10 : 12,
                            .channels = i / 2 % 2 ? 3 : 4,
                            .little_endian = i % 3 == 0});
}

Test(dpx, reads_padding)
{
    for (uint32_t i = 0; i < 16; i++)
        check((struct kind){.width = 21,
                            .height = 9,
                            .channels = i % 2 ? 3 : 1,
                            .bits = i % 4 < 2 ? 8 : 16,
                            .ragged = i % 8 < 4,
                            .line_padding = i / 8 * 12,
                            .image_padding = i % 3 * 100});
}

Test(dpx, never_decodes_a_file_that_is_too_short)
{
    static struct dpx dpx;
    ssimcu_frame frame;
    ssimcu_message why;
    for (uint32_t i = 0; i < 6; i++) {
        make(&dpx, (struct kind){.width = 21,
                                 .height = 9,
                                 .channels = 3,
                                 .bits = i % 3 == 0   ? 8
                                         : i % 3 == 1 ? 10
                                                      : 16,
                                 .packing = 1,
                                 .little_endian = i % 2});
        if (i >= 3) put(&dpx, 16, 0xFFFFFFFF, 4); /* nothing says how long it is */
        for (size_t size = 4; size < dpx.size; size++)
            cr_expect(read_dpx(&dpx, size, &frame, &why) == SSIMCU_ERROR_DATA,
                      "%u: %zu of %zu bytes", i, size, dpx.size);
        cr_expect(read_dpx(&dpx, dpx.size, &frame, &why) == SSIMCU_OK, "%s", why.text);
        ssimcu_frame_free(&frame);
    }
}

/* Scanners write data of their own behind the picture: `size` is what the header says of it. */
static ssimcu_status read_longer(struct kind kind, uint32_t more, uint32_t size,
                                 ssimcu_message *why)
{
    static struct dpx dpx, longer;
    ssimcu_frame plain, frame;
    make(&dpx, kind);
    longer = dpx;
    memset(longer.bytes + longer.size, 'x', more);
    put(&longer, 16, size, 4);
    cr_assert(read_dpx(&dpx, dpx.size, &plain, why) == SSIMCU_OK, "%s", why->text);
    const ssimcu_status status = read_dpx(&longer, dpx.size + more, &frame, why);
    if (status == SSIMCU_OK) cr_expect(same_pixels(&frame, &plain), "%u more, %u", more, size);
    if (status == SSIMCU_OK) ssimcu_frame_free(&frame);
    ssimcu_frame_free(&plain);
    return status;
}

Test(dpx, passes_over_bytes_behind_the_picture)
{
    static const uint32_t depths[] = {8, 10, 12, 16}, mores[] = {1, 4, 100, 4096, 4096 - 21 * 9};
    ssimcu_message why;
    for (uint32_t i = 0; i < 4 * 5 * 3 * 2; i++) {
        const struct kind kind = {.width = 20,
                                  .height = 9,
                                  .channels = 3,
                                  .bits = depths[i % 4],
                                  .packing = 1,
                                  .image_padding = i / 60 * 8};
        static struct dpx dpx;
        make(&dpx, kind);
        const uint32_t more = mores[i / 4 % 5], whole = (uint32_t)dpx.size;
        const uint32_t sizes[] = {whole, whole + more, 0xFFFFFFFF};
        cr_expect(read_longer(kind, more, sizes[i / 20 % 3], &why) == SSIMCU_OK, "%u: %s", i,
                  why.text);
    }
}

/* Lines that end within a word may end there or not: with bytes behind them both can be. */
Test(dpx, does_not_guess_where_lines_end)
{
    ssimcu_message why;
    static struct dpx dpx;
    for (uint32_t i = 0; i < 4; i++) {
        const struct kind kind = {
            .width = 21, .height = 9, .channels = 3, .bits = i % 2 ? 8 : 16, .ragged = i / 2};
        make(&dpx, kind);
        const uint32_t whole = (uint32_t)dpx.size;
        cr_expect(read_longer(kind, 4096, whole, &why) ==
                      (kind.ragged ? SSIMCU_ERROR_DATA : SSIMCU_OK),
                  "%u: %s", i, why.text);
        cr_expect(read_longer(kind, 4096, whole + 4096, &why) == SSIMCU_ERROR_DATA, "%u", i);
        cr_expect(read_longer(kind, 4096, 0xFFFFFFFF, &why) == SSIMCU_ERROR_DATA, "%u", i);
    }
}

static void expect_changed(size_t at, uint32_t value, size_t bytes, ssimcu_status wanted,
                           const char *text)
{
    static struct dpx dpx;
    ssimcu_frame frame;
    ssimcu_message why;
    make(&dpx, (struct kind){.width = 21, .height = 9, .channels = 3, .bits = 10, .packing = 1});
    put(&dpx, at, value, bytes);
    const ssimcu_status status = read_dpx(&dpx, dpx.size, &frame, &why);
    cr_expect(status == wanted && strstr(why.text, text), "at %zu %u: %s %s", at, value,
              ssimcu_status_name(status), why.text);
}

Test(dpx, names_what_it_does_not_read)
{
    const ssimcu_status no = SSIMCU_ERROR_UNSUPPORTED, bad = SSIMCU_ERROR_DATA;
    expect_changed(770, 0, 2, no, "no image element");
    expect_changed(770, 0xFFFF, 2, no, "no image element");
    expect_changed(770, 2, 2, no, "more than one image element");
    expect_changed(780, 1, 4, no, "signed samples");
    expect_changed(800, 100, 1, no, "elements other than RGB");
    expect_changed(800, 6, 1, no, "10-bit luma");
    expect_changed(803, 32, 1, no, "samples of a size");
    expect_changed(803, 1, 1, no, "samples of a size");
    expect_changed(804, 3, 2, no, "unknown packing");
    expect_changed(806, 1, 2, no, "run-length encoding");
    expect_changed(660, 42, 4, no, "encryption");
    expect_changed(768, 8, 2, bad, "unknown orientation");
    expect_changed(772, 0, 4, bad, "a side is 0");
    expect_changed(776, 0, 4, bad, "a side is 0");
    expect_changed(772, 22, 4, bad, "truncated");
    expect_changed(776, 8, 4, SSIMCU_OK, ""); /* the last line is behind the picture */
    expect_changed(772, 0xFFFFFFFF, 4, SSIMCU_ERROR_LIMIT, "the limit");
    expect_changed(776, 0x7FFFFFFF, 4, SSIMCU_ERROR_LIMIT, "the limit");
    expect_changed(772, 16384, 4, bad, "truncated");
    expect_changed(4, 0xFFFFFFFF, 4, bad, "two offsets");
    expect_changed(4, 1000, 4, bad, "two offsets");
    expect_changed(808, 4096, 4, bad, "two offsets");
    expect_changed(812, 8, 4, bad, "truncated");
    expect_changed(816, 8, 4, SSIMCU_OK, ""); /* image padding that is not there does no harm */
    expect_changed(16, 4, 4, SSIMCU_OK, "");  /* ImageMagick writes it so */
    expect_changed(16, 1 << 20, 4, bad, "truncated");
    expect_changed(16, 2048 + 9 * 21 * 4 + 1, 4, bad, "truncated");
}

/* Samples that would begin inside the header, in a file of exactly the right size. */
Test(dpx, wants_its_samples_behind_the_header)
{
    for (uint32_t at = 1404; at <= 1408; at += 4) {
        static struct dpx dpx;
        ssimcu_frame frame;
        ssimcu_message why;
        make(&dpx,
             (struct kind){.width = 21, .height = 9, .channels = 3, .bits = 10, .packing = 1});
        put(&dpx, 4, at, 4);
        put(&dpx, 808, 0xFFFFFFFF, 4);
        put(&dpx, 16, 0xFFFFFFFF, 4);
        const ssimcu_status status = read_dpx(&dpx, at + 9 * 21 * 4, &frame, &why);
        cr_expect_eq(status, at < 1408 ? SSIMCU_ERROR_DATA : SSIMCU_OK, "%u: %s", at, why.text);
        ssimcu_frame_free(&frame);
    }
}
