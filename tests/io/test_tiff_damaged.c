/* TIFFs that are cut, changed and made to harm: none decodes to something, and none costs more
 * memory than its bytes are worth. */
#define _GNU_SOURCE /* memfd_create */
#include "image/holds.h"
#include "image_file.h"
#include "tiff_maker.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

TestSuite(tiff_damaged, .init = make_scratch, .fini = remove_scratch);

enum { KINDS = 8 };

static tiff_kind kind_of(int i)
{
    static const uint16_t compressions[] = {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_PACKBITS,
                                            COMPRESSION_ADOBE_DEFLATE};
    return tiff_fill((tiff_kind){.compression = compressions[i % 4],
                                 .predictor = i % 2 ? PREDICTOR_HORIZONTAL : 0,
                                 .tile = {i / 4 ? 16 : 0, 16},
                                 .planar = i / 4,
                                 .mode = i / 4 ? "b8" : "l"});
}

static uint8_t *make(const tiff_kind *kind, size_t *size)
{
    const file_name path = scratch("a.tif");
    uint8_t *const picture = tiff_picture(kind, 1);
    tiff_write(path.text, kind, picture);
    free(picture);
    return read_file(path.text, size);
}

static ssimcu_status read_frame(const uint8_t *bytes, size_t size, ssimcu_frame *frame,
                                ssimcu_message *why)
{
    char path[32];
    const int fd = memfd_create("tiff", 0);
    cr_assert(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/dev/fd/%d", fd);
    *why = (ssimcu_message){{0}};
    const ssimcu_status status = ssimcu_image_read(path, NULL, frame, why);
    close(fd);
    return status;
}

static ssimcu_status read_bytes(const uint8_t *bytes, size_t size, ssimcu_message *why)
{
    ssimcu_frame frame;
    const ssimcu_status status = read_frame(bytes, size, &frame, why);
    ssimcu_frame_free(&frame);
    return status;
}

Test(tiff_damaged, never_decodes_a_truncated_file)
{
    for (int i = 0; i < KINDS; i++) {
        const tiff_kind kind = kind_of(i);
        ssimcu_message why;
        size_t size = 0;
        uint8_t *const bytes = make(&kind, &size);
        for (size_t k = 0; k < 500; k++)
            cr_expect(read_bytes(bytes, size * k / 500, &why) == SSIMCU_ERROR_DATA,
                      "kind %d, %zu of %zu bytes: %s", i, size * k / 500, size, why.text);
        cr_expect(read_bytes(bytes, size, &why) == SSIMCU_OK, "%s", why.text);
        free(bytes);
    }
}

/* libtiff writes the directory last: here it comes first, so that a cut hits the samples. */
Test(tiff_damaged, never_decodes_a_file_without_its_last_byte)
{
    for (int i = 0; i < 4; i++) {
        const tiff_kind kind = kind_of(i);
        ssimcu_message why;
        size_t size = 0;
        uint8_t *const bytes = make(&kind, &size), *const moved = malloc(2 * size);
        memcpy(moved, bytes, size);
        memcpy(moved + size, bytes + 8, size - 8); /* the strips once more, behind the directory */
        uint8_t *const offsets = tiff_entry(moved, TIFFTAG_STRIPOFFSETS);
        uint8_t *const sizes = tiff_entry(moved, TIFFTAG_STRIPBYTECOUNTS);
        size_t end = 0;
        uint32_t at, from, count;
        memcpy(&at, offsets + 8, 4);
        for (int k = 0; k < 5; k++) {
            memcpy(&from, moved + at + 4 * k, 4);
            tiff_set(moved + at + 4 * k, from + (uint32_t)size - 8, 4);
        }
        memcpy(&at, sizes + 8, 4);
        count = 0;
        memcpy(&count, moved + at + 4 * 4, sizes[2] == TIFF_SHORT ? 0 : 4);
        if (sizes[2] == TIFF_SHORT) memcpy(&count, moved + at + 2 * 4, 2);
        end = from + size - 8 + count;
        cr_expect(read_bytes(moved, end, &why) == SSIMCU_OK, "%d: %s", i, why.text);
        cr_expect(read_bytes(moved, end - 1, &why) == SSIMCU_ERROR_DATA, "%d", i);
        cr_expect(strstr(why.text, "strip 4 ends beyond the file"), "%s", why.text);
        free(bytes);
        free(moved);
    }
}

/* One strip's place or size is changed: nothing from another place may stand in for it. */
Test(tiff_damaged, never_fills_in_a_strip)
{
    static const uint32_t values[] = {0, 1, 2, 7, 0x7FFFFFFF, 0xFFFFFFFF, 100000};
    for (int i = 0; i < 4; i++) {
        const tiff_kind kind = kind_of(i);
        ssimcu_message why;
        size_t size = 0;
        uint8_t *const bytes = make(&kind, &size);
        const uint8_t *const entry = tiff_entry(bytes, TIFFTAG_STRIPBYTECOUNTS);
        const int width = entry[2] == TIFF_SHORT ? 2 : 4;
        uint32_t at;
        memcpy(&at, entry + 8, 4);
        for (int strip = 0; strip < 5; strip++)
            for (size_t v = 0; v < sizeof values / sizeof values[0]; v++) {
                uint8_t kept[4];
                memcpy(kept, bytes + at + strip * width, 4);
                tiff_set(bytes + at + strip * width, values[v], width);
                cr_expect(read_bytes(bytes, size, &why) == SSIMCU_ERROR_DATA,
                          "kind %d, strip %d of %u bytes", i, strip, values[v]);
                memcpy(bytes + at + strip * width, kept, 4);
            }
        free(bytes);
    }
}

/* A strip without a place is missing: what is at the file's beginning is not its pixels. */
Test(tiff_damaged, misses_a_strip_without_a_place)
{
    const tiff_kind kind = tiff_fill((tiff_kind){.rows = 23});
    ssimcu_message why;
    size_t size = 0;
    uint8_t *const bytes = make(&kind, &size);
    tiff_set(tiff_entry(bytes, TIFFTAG_STRIPOFFSETS) + 8, 0, 4);
    cr_expect_eq(read_bytes(bytes, size, &why), SSIMCU_ERROR_DATA);
    cr_expect(strstr(why.text, "strip 0 is missing"), "%s", why.text);
    free(bytes);
}

/* Hardly anything may follow a strip's pixels, and a strip may not be shorter than they need. */
Test(tiff_damaged, notices_a_strip_that_is_too_long)
{
    for (int i = 0; i < 4; i++) {
        const tiff_kind kind = kind_of(i);
        ssimcu_message why;
        size_t size = 0;
        uint8_t *const bytes = make(&kind, &size);
        const uint8_t *const entry = tiff_entry(bytes, TIFFTAG_STRIPBYTECOUNTS);
        const int width = entry[2] == TIFF_SHORT ? 2 : 4;
        uint32_t at, count = 0;
        memcpy(&at, entry + 8, 4);
        memcpy(&count, bytes + at, (size_t)width);
        tiff_set(bytes + at, count + 8, width);
        cr_expect(read_bytes(bytes, size, &why) == SSIMCU_ERROR_DATA, "kind %d", i);
        free(bytes);
    }
}

/* The checksum tells; a bit that fills up a byte changes no pixel. */
Test(tiff_damaged, notices_every_bit_of_deflated_data)
{
    const tiff_kind kind = kind_of(3);
    ssimcu_frame wanted = {0}, frame = {0};
    ssimcu_message why;
    size_t size = 0;
    uint8_t *const bytes = make(&kind, &size);
    uint32_t directory;
    cr_assert(read_frame(bytes, size, &wanted, &why) == SSIMCU_OK);
    memcpy(&directory, bytes + 4, 4);
    for (size_t bit = 8 * 8; bit < 8 * (size_t)directory; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        cr_expect(read_frame(bytes, size, &frame, &why) != SSIMCU_OK ||
                      same_pixels(&frame, &wanted),
                  "bit %zu of %u bytes", bit, directory);
        ssimcu_frame_free(&frame);
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    ssimcu_frame_free(&wanted);
    free(bytes);
}

Test(tiff_damaged, refuses_a_loop_of_directories)
{
    const tiff_kind kind = tiff_fill((tiff_kind){.pages_after = 2, .thumbnails_after = true});
    ssimcu_message why;
    size_t size = 0;
    uint8_t *const bytes = make(&kind, &size);
    uint32_t first, at;
    memcpy(&first, bytes + 4, 4);
    for (int page = 0; page < 3; page++) {
        uint16_t entries;
        memcpy(&at, bytes + 4, 4);
        for (int k = 0; k < page; k++) {
            memcpy(&entries, bytes + at, 2);
            memcpy(&at, bytes + at + 2 + 12 * entries, 4);
        }
        memcpy(&entries, bytes + at, 2);
        uint8_t kept[4];
        uint8_t *const next = bytes + at + 2 + 12 * entries;
        memcpy(kept, next, 4);
        tiff_set(next, first, 4);
        cr_expect(read_bytes(bytes, size, &why) != SSIMCU_OK, "page %d", page);
        tiff_set(next, at, 4);
        cr_expect(read_bytes(bytes, size, &why) != SSIMCU_OK, "page %d", page);
        tiff_set(next, (uint32_t)size - 1, 4);
        cr_expect(read_bytes(bytes, size, &why) == SSIMCU_ERROR_DATA, "page %d", page);
        memcpy(next, kept, 4);
    }
    cr_expect(read_bytes(bytes, size, &why) == SSIMCU_OK, "%s", why.text);
    free(bytes);
}

/* What the good half of such a page says, here JPEG, would send its user to convert a file that is
 * broken. */
Test(tiff_damaged, says_damaged_of_a_page_that_cannot_be_read)
{
    const tiff_kind kind = tiff_fill((tiff_kind){.pages_after = 1, .thumbnails_after = true});
    ssimcu_message why;
    size_t size = 0;
    uint8_t *const bytes = make(&kind, &size);
    uint32_t first, second;
    uint16_t entries;
    memcpy(&first, bytes + 4, 4);
    memcpy(&entries, bytes + first, 2);
    memcpy(&second, bytes + first + 2 + 12 * entries, 4);
    tiff_set(bytes + 4, second, 4); /* tiff_entry looks into the first directory */
    tiff_set(tiff_entry(bytes, TIFFTAG_COMPRESSION) + 8, COMPRESSION_JPEG, 2);
    tiff_set(tiff_entry(bytes, TIFFTAG_IMAGELENGTH), TIFFTAG_IMAGEWIDTH, 2);
    tiff_set(bytes + 4, first, 4);
    cr_expect(read_bytes(bytes, size, &why) == SSIMCU_ERROR_DATA, "%s", why.text);
    free(bytes);
}

/* The process has 256 MB of address space left. A small file that claims to be large is refused
 * for what it is, not because memory ran out. */
Test(tiff_damaged, takes_no_memory_for_what_is_not_there)
{
    static const uint16_t tags[] = {TIFFTAG_IMAGEWIDTH,   TIFFTAG_IMAGELENGTH,
                                    TIFFTAG_STRIPOFFSETS, TIFFTAG_STRIPBYTECOUNTS,
                                    TIFFTAG_ROWSPERSTRIP, TIFFTAG_BITSPERSAMPLE};
    static const uint32_t values[] = {16384, 8000000, 0x10000000, 0x7FFFFFFF, 0xFFFFFFFF};
    const struct rlimit little = {256 << 20, 256 << 20};
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    cr_assert(setrlimit(RLIMIT_DATA, &little) == 0);
#else
    (void)little;
#endif
    for (int i = 0; i < 4; i++) {
        const tiff_kind kind = kind_of(i);
        ssimcu_message why;
        size_t size = 0;
        uint8_t *const bytes = make(&kind, &size);
        for (size_t t = 0; t < sizeof tags / sizeof tags[0]; t++)
            for (size_t v = 0; v < sizeof values / sizeof values[0]; v++)
                for (int at = 4; at <= 8; at += 4) {
                    uint8_t *const value = tiff_entry(bytes, tags[t]) + at;
                    uint8_t kept[4];
                    memcpy(kept, value, 4);
                    tiff_set(value, values[v], 4);
                    const ssimcu_status status = read_bytes(bytes, size, &why);
                    const bool harmless =
                        at == 4 && (tags[t] == TIFFTAG_STRIPOFFSETS ||
                                    tags[t] == TIFFTAG_STRIPBYTECOUNTS); /* more than needed */
                    cr_expect(status == SSIMCU_ERROR_DATA || status == SSIMCU_ERROR_LIMIT ||
                                  status == SSIMCU_ERROR_UNSUPPORTED ||
                                  (harmless && status == SSIMCU_OK),
                              "kind %d, tag %u, %d = %u: %s %s", i, tags[t], at, values[v],
                              ssimcu_status_name(status), why.text);
                    memcpy(value, kept, 4);
                }
        free(bytes);
    }
}

Test(tiff_damaged, refuses_huge_tiles)
{
    const tiff_kind kind = tiff_fill((tiff_kind){.tile = {16, 16}, .compression = COMPRESSION_LZW});
    ssimcu_message why;
    size_t size = 0;
    uint8_t *const bytes = make(&kind, &size);
    tiff_set(tiff_entry(bytes, TIFFTAG_TILEWIDTH) + 8, 1 << 20, 4);
    tiff_set(tiff_entry(bytes, TIFFTAG_TILELENGTH) + 8, 1 << 20, 4);
    const ssimcu_status status = read_bytes(bytes, size, &why);
    cr_expect(status == SSIMCU_ERROR_LIMIT || status == SSIMCU_ERROR_DATA, "%s", why.text);
    free(bytes);
}

/* A tile above a million pixels may have 16 times those of the picture. */
Test(tiff_damaged, refuses_tiles_that_are_large_for_their_picture)
{
    static const struct {
        uint32_t tile, width, height;
        ssimcu_status wanted;
    } cases[] = {{1024, 1, 1, SSIMCU_OK},
                 {1040, 1, 1, SSIMCU_ERROR_LIMIT},
                 {2048, 512, 512, SSIMCU_OK},
                 {2048, 512, 511, SSIMCU_ERROR_LIMIT}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const uint32_t side = cases[i].tile;
        const tiff_kind kind = tiff_fill((tiff_kind){.width = cases[i].width,
                                                     .height = cases[i].height,
                                                     .samples = 1,
                                                     .tile = {side, side},
                                                     .compression = COMPRESSION_LZW});
        ssimcu_message why;
        size_t size = 0;
        uint8_t *const bytes = make(&kind, &size);
        cr_expect(read_bytes(bytes, size, &why) == cases[i].wanted, "%zu: %s", i, why.text);
        if (cases[i].wanted != SSIMCU_OK)
            cr_expect(strstr(why.text, " pixels for a picture of "), "%s", why.text);
        free(bytes);
    }
}

/* What a picture with a tile of four megabytes needs counts against its caller's limits, too. */
Test(tiff_damaged, holds_tiles_against_the_limit_of_pixels)
{
    const tiff_kind kind = tiff_fill((tiff_kind){.width = 600,
                                                 .height = 600,
                                                 .samples = 1,
                                                 .tile = {2048, 2048},
                                                 .compression = COMPRESSION_LZW});
    const ssimcu_image_options options = {.struct_size = sizeof options, .max_pixels = 600 * 600};
    size_t size = 0;
    free(make(&kind, &size));
    cr_expect(try_image(scratch("a.tif").text, &options) == SSIMCU_ERROR_LIMIT);
    cr_expect(try_image(scratch("a.tif").text, NULL) == SSIMCU_OK);
}

/* Blocks that are decoded beside the frame count as memory, also those of an alpha that widens or
 * drops samples. */
Test(tiff_damaged, counts_blocks_beside_the_frame)
{
    static const struct {
        tiff_kind kind;
        uint64_t holds;
    } cases[] = {{{.samples = 3}, 0},
                 {{.samples = 4}, 0},
                 {{.samples = 4, .bits = 16, .extra = EXTRASAMPLE_ASSOCALPHA + 1}, 0},
                 {{.samples = 4, .extra = EXTRASAMPLE_ASSOCALPHA + 1}, 37 * 5 * 4},
                 {{.samples = 4, .bits = 32, .floating = true, .extra = EXTRASAMPLE_ASSOCALPHA + 1},
                  37 * 5 * 16},
                 {{.samples = 3, .tile = {16, 32}}, 16 * 32 * 3}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const tiff_kind kind = tiff_fill(cases[i].kind);
        ssimcu_image *image = NULL;
        size_t size = 0;
        free(make(&kind, &size));
        cr_assert_eq(ssimcu_image_open(scratch("a.tif").text, NULL, &image, NULL), SSIMCU_OK);
        cr_expect(ssimcu_image_holds(image) == cases[i].holds, "%zu: %llu", i,
                  (unsigned long long)ssimcu_image_holds(image));
        ssimcu_image_close(&image);
    }
}

Test(tiff_damaged, refuses_tiles_without_pixels)
{
    static const uint16_t side[] = {TIFFTAG_TILEWIDTH, TIFFTAG_TILELENGTH};
    const tiff_kind kind = tiff_fill((tiff_kind){.tile = {16, 16}});
    for (int i = 0; i < 2; i++) {
        ssimcu_message why;
        size_t size = 0;
        uint8_t *const bytes = make(&kind, &size);
        tiff_set(tiff_entry(bytes, side[i]) + 8, 0, 4);
        cr_expect(read_bytes(bytes, size, &why) == SSIMCU_ERROR_DATA, "%d: %s", i, why.text);
        free(bytes);
    }
}

/* Some programs fill the last strip up to whole rows, in each plane; no other strip may be longer.
 */
Test(tiff_damaged, only_last_strips_may_be_padded)
{
    for (int planar = 0; planar < 2; planar++) {
        const tiff_kind kind = tiff_fill((tiff_kind){.planar = planar});
        const uint32_t down = (kind.height + kind.rows - 1) / kind.rows,
                       strips = planar ? 3 * down : down;
        const uint32_t whole = kind.width * kind.rows * (planar ? 1 : 3);
        for (uint32_t strip = 0; strip < strips; strip++) {
            const bool last = strip % down == down - 1;
            ssimcu_message why;
            size_t size = 0;
            uint8_t *bytes = make(&kind, &size);
            bytes = realloc(bytes, size + whole);
            memset(bytes + size, 0, whole);
            const uint8_t *const counts = tiff_entry(bytes, TIFFTAG_STRIPBYTECOUNTS);
            const int each = counts[2] == TIFF_SHORT ? 2 : 4;
            uint32_t at;
            memcpy(&at, counts + 8, 4);
            tiff_set(bytes + at + strip * (uint32_t)each, last ? whole : whole + 1, each);
            cr_expect(read_bytes(bytes, size + whole, &why) ==
                          (last ? SSIMCU_OK : SSIMCU_ERROR_DATA),
                      "planar %d, strip %u: %s", planar, strip, why.text);
            free(bytes);
        }
    }
}
