/* TIFF: whatever libtiff writes is read to the same samples. What is missing, damaged, hostile
 * or not supported is refused and says why. */
#include "image_file.h"
#include "tiff_maker.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(tiff, .init = make_scratch, .fini = remove_scratch);

static uint32_t sample(const uint8_t *at, uint32_t bits)
{
    uint32_t value = 0;
    for (uint32_t i = bits / 8; i-- > 0;) value = value << 8 | at[i];
    return value;
}

/* Finds where the pixel of a stored place is seen. */
static void turn(const tiff_kind *kind, uint32_t x, uint32_t y, uint32_t *across, uint32_t *down)
{
    const uint32_t o = kind->orientation;
    const uint32_t mirrored_x = kind->width - 1 - x, mirrored_y = kind->height - 1 - y;
    const uint32_t i = o == 2 || o == 3 || o == 7 || o == 8 ? mirrored_x : x;
    const uint32_t j = o == 3 || o == 4 || o == 6 || o == 7 ? mirrored_y : y;
    *across = o < 5 ? i : j;
    *down = o < 5 ? j : i;
}

static bool shows(const ssimcu_frame *frame, const tiff_kind *kind, const uint8_t *picture)
{
    const size_t size = kind->bits / 8;
    const bool inverted = kind->photometric == PHOTOMETRIC_MINISWHITE + 1;
    for (uint32_t y = 0; y < kind->height; y++)
        for (uint32_t x = 0; x < kind->width; x++)
            for (uint32_t c = 0; c < kind->samples; c++, picture += size) {
                uint32_t i, j;
                turn(kind, x, y, &i, &j);
                const uint8_t *const at = row_of(frame, j) + (i * frame->channels + c) * size;
                const uint32_t peak = UINT32_MAX >> (32 - kind->bits),
                               stored = sample(picture, kind->bits);
                if (sample(at, kind->bits) != (inverted && c == 0 ? peak - stored : stored))
                    return false;
            }
    return true;
}

static void check(tiff_kind kind)
{
    const file_name path = scratch("a.tif");
    kind = tiff_fill(kind);
    uint8_t *const picture = tiff_picture(&kind, kind.orientation + kind.samples);
    tiff_write(path.text, &kind, picture);
    ssimcu_frame frame = {0};
    ssimcu_message why = {{0}};
    const ssimcu_status status = read_image(path.text, NULL, &frame, &why);
    const uint32_t width = kind.orientation < 5 ? kind.width : kind.height;
    cr_assert(status == SSIMCU_OK, "%s", why.text);
    cr_expect(frame.width == width && frame.channels == kind.samples);
    cr_expect(frame.bits == kind.bits + (kind.floating ? SSIMCU_BITS_FLOAT : 0U));
    cr_expect_eq(frame.linear, kind.floating);
    cr_expect(shows(&frame, &kind, picture),
              "%u samples of %u bits, photometric %u, compression %u, predictor %d, %u rows, tiles "
              "of %u, planar %d, orientation %u, mode %s",
              kind.samples, kind.bits, kind.photometric - 1, kind.compression, kind.predictor,
              kind.rows, kind.tile[0], kind.planar, kind.orientation, kind.mode);
    free(frame.data);
    free(picture);
}

static ssimcu_frame read_good(const tiff_kind *kind, const uint8_t *picture)
{
    const file_name path = scratch("a.tif");
    ssimcu_frame frame = {0};
    ssimcu_message why = {{0}};
    tiff_write(path.text, kind, picture);
    cr_assert(read_image(path.text, NULL, &frame, &why) == SSIMCU_OK, "%s", why.text);
    return frame;
}

static const uint16_t compressions[] = {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_PACKBITS,
                                        COMPRESSION_ADOBE_DEFLATE, COMPRESSION_DEFLATE};

/* Compression, depth, channels, strips and tiles, planes, byte order. */
Test(tiff, reads_every_layout)
{
    static const char *const modes[] = {"l", "b", "l8", "b8"};
    for (uint32_t i = 0; i < 5 * 2 * 4 * 2 * 2 * 2 * 4; i++) {
        const uint32_t c = i % 5, bits = i / 5 % 2, samples = i / 10 % 4, tiled = i / 40 % 2;
        const uint32_t planar = i / 80 % 2, predicted = i / 160 % 2, mode = i / 320;
        const bool can = c != 0 && c != 2;
        check((tiff_kind){.compression = compressions[c],
                          .bits = bits ? 16 : 8,
                          .samples = (uint16_t)(samples + 1),
                          .tile = {tiled ? 16 : 0, 32},
                          .planar = planar && samples,
                          .predictor = predicted && can ? PREDICTOR_HORIZONTAL : 0,
                          .mode = modes[mode]});
    }
}

Test(tiff, reads_every_orientation_and_size_of_strip)
{
    for (uint16_t o = 1; o <= 8; o++)
        for (uint32_t i = 0; i < 12; i++)
            check((tiff_kind){.orientation = o,
                              .bits = i % 2 ? 16 : 8,
                              .samples = i % 3 + 1,
                              .planar = i % 3 && i >= 6,
                              .rows = i % 4 == 0   ? 1
                                      : i % 4 == 1 ? 23
                                                   : 7,
                              .tile = {i % 4 == 3 ? 32 : 0, 16}});
    for (uint32_t i = 1; i < 24; i++)
        check((tiff_kind){.width = i, .height = 24 - i, .compression = COMPRESSION_LZW});
    check((tiff_kind){.width = 700, .height = 100, .rows = 100, .compression = COMPRESSION_LZW});
}

Test(tiff, reads_grey_whose_0_is_white)
{
    for (uint16_t i = 0; i < 8; i++)
        check((tiff_kind){.photometric = PHOTOMETRIC_MINISWHITE + 1,
                          .samples = i % 2 + 1,
                          .bits = i & 2 ? 16 : 8,
                          .planar = i == 1 || i == 7,
                          .orientation = i & 4 ? 6 : 1});
}

/* Half and float are read bit for bit, even what is no number. */
Test(tiff, reads_floats)
{
    for (uint32_t i = 0; i < 4 * 2 * 4 * 2 * 2 * 4; i++) {
        const uint32_t c = i % 4, half = i / 4 % 2, samples = i / 8 % 4, tiled = i / 32 % 2;
        const uint32_t planar = i / 64 % 2, predictor = i / 128;
        static const uint16_t predictors[] = {0, PREDICTOR_HORIZONTAL, PREDICTOR_FLOATINGPOINT};
        check((tiff_kind){
            .compression = compressions[c],
            .bits = half ? 16 : 32,
            .floating = true,
            .samples = (uint16_t)(samples + 1),
            .tile = {tiled ? 16 : 0, 32},
            .planar = planar && samples,
            .orientation = (uint16_t)(i % 8 + 1),
            .predictor = c % 2 == 0 ? 0 : predictors[predictor % 3],
            .mode = predictor == 3 ? "b" : "l"}); /* libtiff writes the third wrongly in "b" */
    }
}

/* Associated alpha of floats is not undone: as in an EXR, the colours are what lies over black. */
Test(tiff, leaves_associated_alpha_of_floats)
{
    for (int i = 0; i < 4; i++) {
        const tiff_kind kind = tiff_fill((tiff_kind){.samples = 4,
                                                     .bits = i % 2 ? 16 : 32,
                                                     .floating = true,
                                                     .planar = i / 2,
                                                     .extra = EXTRASAMPLE_ASSOCALPHA + 1});
        const size_t size = kind.bits / 8;
        uint8_t *const picture = tiff_picture(&kind, 9);
        ssimcu_frame frame = read_good(&kind, picture);
        cr_expect(frame.bits == (uint32_t)SSIMCU_BITS_FLOAT + kind.bits && frame.channels == 3);
        for (uint32_t p = 0; p < 37 * 23; p++)
            cr_expect(memcmp(row_of(&frame, p / 37) + p % 37 * 3 * size, picture + p * 4 * size,
                             3 * size) == 0);
        free(frame.data);
        free(picture);
    }
}

/* ---- Palettes, alpha, pages ------------------------------------------------------------------ */

static ssimcu_status read_status(const char *path, ssimcu_message *why)
{
    ssimcu_frame frame = {0};
    *why = (ssimcu_message){{0}};
    const ssimcu_status status = read_image(path, NULL, &frame, why);
    if (status == SSIMCU_OK) free(frame.data);
    return status;
}

static void expect_kind(tiff_kind kind, ssimcu_status wanted, const char *text)
{
    const file_name path = scratch("a.tif");
    ssimcu_message why;
    kind = tiff_fill(kind);
    uint8_t *const picture = tiff_picture(&kind, 1);
    tiff_write(path.text, &kind, picture);
    cr_expect(read_status(path.text, &why) == wanted, "%s: %s", text, why.text);
    if (wanted != SSIMCU_OK) expect_message(&why, path.text, text);
    free(picture);
}

Test(tiff, expands_palettes)
{
    static const uint16_t factor[] = {257, 256, 251};
    for (int i = 0; i < 6; i++) {
        uint16_t map[3 * 256];
        for (uint32_t k = 0; k < 3 * 256; k++)
            map[k] = (uint16_t)((k * 7 + k / 256) % 256 * factor[i / 2]);
        const tiff_kind kind = tiff_fill((tiff_kind){.samples = 1,
                                                     .photometric = PHOTOMETRIC_PALETTE + 1,
                                                     .map = map,
                                                     .orientation = i % 2 ? 3 : 1});
        uint8_t *const picture = tiff_picture(&kind, 3);
        ssimcu_frame frame = read_good(&kind, picture);
        cr_expect(frame.channels == 3 && frame.bits == (i < 4 ? 8 : 16));
        for (uint32_t p = 0; p < 37 * 23 * 3; p++) {
            const uint32_t at = i % 2 ? 37 * 23 - 1 - p / 3 : p / 3, size = frame.bits / 8;
            const uint8_t *const got = row_of(&frame, at / 37) + (at % 37 * 3 + p % 3) * size;
            const uint16_t wanted = map[p % 3 * 256 + picture[p / 3]];
            cr_assert(sample(got, frame.bits) == (i < 4 ? wanted >> 8 : wanted), "%d: %u", i, p);
        }
        free(frame.data);
        free(picture);
    }
}

/* Maps of 8-bit values in 16 bits are refused, unless every value is 0. */
Test(tiff, refuses_maps_of_8_bit_values)
{
    for (int i = 0; i < 3; i++) {
        uint16_t map[3 * 256] = {0};
        map[700] = (uint16_t)(i == 2 ? 256 : 255 * i);
        expect_kind((tiff_kind){.samples = 1, .photometric = PHOTOMETRIC_PALETTE + 1, .map = map},
                    i == 1 ? SSIMCU_ERROR_UNSUPPORTED : SSIMCU_OK, "a colour map of 8-bit values");
    }
}

/* Every pixel over black is what was stored, to half a step of 16 bits, and alpha is never less. */
Test(tiff, divides_by_associated_alpha)
{
    for (uint16_t i = 0; i < 4; i++) {
        const tiff_kind kind = tiff_fill((tiff_kind){
            .samples = i % 2 ? 2 : 4, .bits = i & 2 ? 16 : 8, .extra = EXTRASAMPLE_ASSOCALPHA + 1});
        const uint32_t n = kind.samples, size = kind.bits / 8;
        const double peak = (1U << kind.bits) - 1;
        uint8_t *const picture = tiff_picture(&kind, 9);
        ssimcu_frame frame = read_good(&kind, picture);
        cr_expect(frame.bits == 16 && frame.channels == n);
        for (uint32_t p = 0; p < 37 * 23; p++) {
            const uint8_t *const got = row_of(&frame, p / 37) + p % 37 * n * 2;
            const uint8_t *const stored = picture + (size_t)p * n * size;
            const double alpha = sample(got + (n - 1) * 2, 16) / 65535.0;
            double most = 0;
            for (uint32_t c = 0; c < n; c++)
                most = fmax(most, sample(stored + c * size, kind.bits) / peak);
            cr_assert_float_eq(alpha, most, 1e-9);
            for (uint32_t c = 0; c + 1 < n; c++) {
                const double over_black = sample(got + c * 2, 16) / 65535.0 * alpha;
                const double wanted = sample(stored + c * size, kind.bits) / peak;
                cr_assert_float_eq(over_black, wanted, 0.5000001 / 65535 * alpha);
            }
        }
        free(frame.data);
        free(picture);
    }
}

Test(tiff, takes_one_page_and_its_thumbnails)
{
    expect_kind((tiff_kind){.pages_after = 1}, SSIMCU_ERROR_UNSUPPORTED, "more than one page");
    expect_kind((tiff_kind){.thumbnails_before = 1, .pages_after = 1}, SSIMCU_ERROR_UNSUPPORTED,
                "more than one page");
    expect_kind((tiff_kind){.thumbnails_before = 70}, SSIMCU_ERROR_UNSUPPORTED, "too many pages");
    for (int i = 0; i < 4; i++) {
        const tiff_kind kind = tiff_fill((tiff_kind){
            .thumbnails_before = i % 2 * 2, .pages_after = i / 2 * 3, .thumbnails_after = true});
        uint8_t *const picture = tiff_picture(&kind, 4);
        ssimcu_frame frame = read_good(&kind, picture);
        cr_expect(frame.width == 37 && shows(&frame, &kind, picture));
        free(frame.data);
        free(picture);
    }
}

static void texture(TIFF *tiff)
{
    TIFFSetField(tiff, TIFFTAG_PIXAR_TEXTUREFORMAT, "Plain Texture");
}

/* Further levels of a texture are what its first one says, in half the size, and so on. */
Test(tiff, takes_the_first_level_of_a_texture)
{
    static const uint32_t sizes[][2] = {{32, 16}, {33, 17}, {31, 15}, {34, 16}, {32, 14}, {16, 8}};
    for (int i = 0; i < 6; i++) {
        tiff_kind kind = {.width = sizes[i][0], .height = sizes[i][1], .pages_after = 1};
        expect_kind(kind, SSIMCU_ERROR_UNSUPPORTED, "more than one page");
        kind.page_tags = texture;
        expect_kind(kind, i < 3 ? SSIMCU_OK : SSIMCU_ERROR_UNSUPPORTED, "more than one page");
        kind.pages_after = 2; /* the second is no half of the first */
        expect_kind(kind, SSIMCU_ERROR_UNSUPPORTED, "more than one page");
    }
}

/* ---- What is refused ------------------------------------------------------------------------- */

static void private_tags(TIFF *tiff)
{
    static const TIFFFieldInfo fields[] = {
        {65000, -1, -1, TIFF_ASCII, FIELD_CUSTOM, 1, 0, (char *)"Mine"},
        {50001, 1, 1, TIFF_LONG, FIELD_CUSTOM, 1, 0, (char *)"Own"}};
    TIFFMergeFieldInfo(tiff, fields, 2);
    TIFFSetField(tiff, 65000, "whatever");
    TIFFSetField(tiff, 50001, 7);
    TIFFSetField(tiff, TIFFTAG_SOFTWARE, "test");
}

static void signed_samples(TIFF *tiff) { TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, 2); }
static void reversed(TIFF *tiff) { TIFFSetField(tiff, TIFFTAG_FILLORDER, 2); }

static void two_extra(TIFF *tiff)
{
    static const uint16_t kinds[] = {EXTRASAMPLE_UNASSALPHA, EXTRASAMPLE_UNSPECIFIED};
    TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 2, kinds);
}

Test(tiff, lets_unknown_tags_pass)
{
    expect_kind((tiff_kind){.tags = private_tags}, SSIMCU_OK, "unknown tags");
}

Test(tiff, names_what_it_does_not_read)
{
    const ssimcu_status no = SSIMCU_ERROR_UNSUPPORTED;
    expect_kind((tiff_kind){.samples = 4, .extra = 1}, no, "unspecified meaning (tiffset");
    expect_kind((tiff_kind){.samples = 5, .tags = two_extra}, no, "more than one extra sample");
    expect_kind((tiff_kind){.tags = signed_samples}, no, "signed samples");
    expect_kind((tiff_kind){.tags = reversed}, no, "bits in reverse");
    expect_kind((tiff_kind){.samples = 2,
                            .photometric = PHOTOMETRIC_MINISWHITE + 1,
                            .extra = EXTRASAMPLE_ASSOCALPHA + 1},
                no, "associated alpha where 0 is white");
}

/* ---- Memory that libtiff lost ---------------------------------------------------------------- */

static bool lose_memory, lose_kinds;

int __wrap_TIFFGetFieldDefaulted(TIFF *, uint32_t, ...);

int __wrap_TIFFGetFieldDefaulted(TIFF *tiff, uint32_t tag, ...)
{
    va_list values;
    va_start(values, tag);
    int known = 1;
    if (lose_kinds && tag == TIFFTAG_EXTRASAMPLES) {
        *va_arg(values, uint16_t *) = 1;
        *va_arg(values, uint16_t **) = NULL;
    } else {
        known = TIFFVGetFieldDefaulted(tiff, tag, values);
    }
    va_end(values);
    if (lose_memory && tag == TIFFTAG_SUBFILETYPE) errno = ENOMEM; /* malloc has failed by now */
    return known;
}

/* libtiff 4.5 then says that there is one extra sample, and of what kind at NULL. */
Test(tiff, survives_memory_that_libtiff_lost)
{
    for (int kinds = 0; kinds < 2; kinds++)
        for (int memory = 0; memory < 2; memory++) {
            lose_kinds = kinds, lose_memory = memory;
            expect_kind((tiff_kind){.samples = 4},
                        memory  ? SSIMCU_ERROR_MEMORY
                        : kinds ? SSIMCU_ERROR_UNSUPPORTED
                                : SSIMCU_OK,
                        memory  ? ": out of memory"
                        : kinds ? "unspecified meaning"
                                : "");
        }
}

struct change {
    uint16_t tag;
    int at; /* the place in the entry: 2 type, 4 count, 8 value */
    uint32_t value;
    ssimcu_status wanted;
    const char *text;
};

/* Changes the directory of a grey or RGB picture of 8 bits in deflated or plain strips of 5
 * rows. */
static void expect_changed(const struct change *change, tiff_kind kind)
{
    const file_name path = scratch("a.tif");
    ssimcu_message why;
    size_t size = 0;
    kind = tiff_fill(kind);
    uint8_t *const picture = tiff_picture(&kind, 1);
    tiff_write(path.text, &kind, picture);
    uint8_t *const bytes = read_file(path.text, &size);
    tiff_set(tiff_entry(bytes, change->tag) + change->at, change->value, change->at == 2 ? 2 : 4);
    FILE *const file = fopen(path.text, "wb");
    cr_assert(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
    const ssimcu_status status = read_status(path.text, &why);
    cr_expect(status == change->wanted, "tag %u = %u: %s %s", change->tag, change->value,
              ssimcu_status_name(status), why.text);
    expect_message(&why, path.text, change->text);
    free(bytes);
    free(picture);
}

Test(tiff, refuses_changed_directories)
{
    const ssimcu_status no = SSIMCU_ERROR_UNSUPPORTED, bad = SSIMCU_ERROR_DATA;
    const struct change changes[] = {
        {TIFFTAG_COMPRESSION, 8, COMPRESSION_CCITTFAX4, no, "CCITT fax compression"},
        {TIFFTAG_COMPRESSION, 8, COMPRESSION_JPEG, no, "JPEG compression"},
        {TIFFTAG_COMPRESSION, 8, COMPRESSION_WEBP, no, "WebP compression"},
        {TIFFTAG_COMPRESSION, 8, COMPRESSION_ZSTD, no, "Zstandard compression"},
        {TIFFTAG_COMPRESSION, 8, COMPRESSION_LZMA, no, "LZMA compression"},
        {TIFFTAG_COMPRESSION, 8, 4711, no, "a compression other than"},
        {TIFFTAG_PHOTOMETRIC, 8, PHOTOMETRIC_MASK, no, "a transparency mask"},
        {TIFFTAG_PHOTOMETRIC, 8, PHOTOMETRIC_CFA, no, "raw data of a camera"},
        {TIFFTAG_PHOTOMETRIC, 8, PHOTOMETRIC_SEPARATED, no, "CMYK"},
        {TIFFTAG_PHOTOMETRIC, 8, PHOTOMETRIC_CIELAB, no, "Lab"},
        {TIFFTAG_PHOTOMETRIC, 8, 999, no, "a colour space other than"},
        {TIFFTAG_BITSPERSAMPLE, 8, 1, no, "samples below 8 bits"},
        {TIFFTAG_BITSPERSAMPLE, 8, 4, no, "samples below 8 bits"},
        {TIFFTAG_BITSPERSAMPLE, 8, 12, no, "of a size other than 8 and 16 bits"},
        {TIFFTAG_BITSPERSAMPLE, 8, 32, no, "of a size other than 8 and 16 bits"},
        {TIFFTAG_IMAGEWIDTH, 8, 0xFFFF, bad, "damaged TIFF (strip 0"},
        {TIFFTAG_IMAGELENGTH, 8, 0xFFFFFFFF, bad, "damaged TIFF"},
        {TIFFTAG_IMAGEWIDTH, 8, 0, bad, "damaged TIFF"},
        {TIFFTAG_IMAGELENGTH, 8, 0, bad, "damaged TIFF"},
        {TIFFTAG_IMAGELENGTH, 8, 24, bad, "damaged TIFF (strip 4"},
        {TIFFTAG_IMAGEWIDTH, 8, 38, bad, "damaged TIFF (strip 0"},
        {TIFFTAG_ROWSPERSTRIP, 8, 0, bad, "damaged TIFF"},
        {TIFFTAG_ROWSPERSTRIP, 8, 6, bad, "damaged TIFF"},
        {TIFFTAG_STRIPBYTECOUNTS, 4, 4, bad, "damaged TIFF"},
        {TIFFTAG_STRIPOFFSETS, 4, 4, bad, "damaged TIFF"},
        {TIFFTAG_STRIPBYTECOUNTS, 2, TIFF_ASCII, bad, "damaged TIFF"},
        {TIFFTAG_STRIPBYTECOUNTS, 0, TIFFTAG_STRIPBYTECOUNTS + 1, bad, "damaged TIFF"},
        {TIFFTAG_PLANARCONFIG, 8, 7, bad, "damaged TIFF"},
        {TIFFTAG_SAMPLESPERPIXEL, 8, 2, no, "unspecified meaning"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++)
        for (int c = 0; c < 2; c++)
            expect_changed(
                &changes[i],
                (tiff_kind){.samples = 1, .compression = c ? COMPRESSION_ADOBE_DEFLATE : 0});
    for (uint32_t predictor = 0; predictor < 5; predictor++)
        if (predictor != 1 && predictor != 2)
            expect_changed(&(struct change){TIFFTAG_PREDICTOR, 8, predictor, bad, "damaged TIFF"},
                           (tiff_kind){.compression = COMPRESSION_ADOBE_DEFLATE,
                                       .predictor = PREDICTOR_HORIZONTAL});
    expect_changed(&(struct change){TIFFTAG_PHOTOMETRIC, 8, PHOTOMETRIC_YCBCR, no, "YCbCr"},
                   (tiff_kind){.samples = 3});
}
