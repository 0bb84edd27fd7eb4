/* What a PNG says beside its samples: how it is held, and what libpng has to remark. */
#include "image_file.h"
#include "png_maker.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(png_marks, .init = make_scratch, .fini = remove_scratch);

enum { WIDTH = 20, HEIGHT = 12, IHDR_END = 33 };

/* Puts a picture whose every pixel is another, with a chunk before or behind its samples. */
static file_name make(png_shape shape, const char *type, const void *data, size_t size, bool behind)
{
    const file_name path = scratch("a.png");
    const png_style style = {.level = 6, .window_bits = 15};
    made_png plain = {0}, png = {0};
    const size_t row = png_row_bytes(shape) + 1;
    uint8_t *const raw = calloc(shape.height, row);
    for (uint32_t y = 0; y < shape.height; y++)
        for (size_t i = 1; i < row; i++) raw[y * row + i] = (uint8_t)(y * 11 + i * 3);
    png_make(&plain, shape, style, raw);
    const size_t at = behind ? plain.size - 12 : IHDR_END;
    png_put(&png, plain.bytes, at);
    if (type) png_put_chunk(&png, type, data, size);
    png_put(&png, plain.bytes + at, plain.size - at);
    FILE *const file = fopen(path.text, "wb");
    cr_assert(file && fwrite(png.bytes, 1, png.size, file) == png.size && fclose(file) == 0);
    free(raw);
    free(plain.bytes);
    free(png.bytes);
    return path;
}

static ssimcu_frame read_good(const file_name *path)
{
    ssimcu_frame frame = {0};
    ssimcu_message why = {{0}};
    cr_assert(read_image(path->text, NULL, &frame, &why) == SSIMCU_OK, "%s", why.text);
    return frame;
}

/* Checks that the file shows the picture turned so. Exif says where the first row and the first
 * column are seen. */
static void expect_turned(png_shape shape, const file_name *path, const ssimcu_frame *plain,
                          unsigned o)
{
    const size_t size = plain->channels * plain->bits / 8;
    ssimcu_frame frame = read_good(path);
    cr_assert(frame.width == (o < 5 ? shape.width : shape.height), "%u", o);
    for (uint32_t y = 0; y < shape.height; y++)
        for (uint32_t x = 0; x < shape.width; x++) {
            const uint32_t i = o == 2 || o == 3 || o == 7 || o == 8 ? shape.width - 1 - x : x;
            const uint32_t j = o == 3 || o == 4 || o == 6 || o == 7 ? shape.height - 1 - y : y;
            const uint8_t *const at = row_of(&frame, o < 5 ? j : i) + (o < 5 ? i : j) * size;
            cr_assert(memcmp(at, row_of(plain, y) + x * size, size) == 0, "%u: %u %u", o, x, y);
        }
    free(frame.data);
}

/* Exif data of one tag. */
static size_t make_exif(uint8_t exif[26], bool big_endian, unsigned tag, unsigned orientation)
{
    static const uint8_t big[] = {'M', 'M', 0, 42, 0, 0, 0, 8, 0, 1, 1, 0, 0, 3, 0, 0, 0, 1, 0},
                         little[] = {'I', 'I', 42, 0, 8, 0, 0, 0, 1, 0, 0, 1, 3, 0, 1, 0, 0, 0, 0};
    memset(exif, 0, 26);
    memcpy(exif, big_endian ? big : little, 19);
    exif[big_endian ? 11 : 10] = (uint8_t)tag;
    exif[big_endian ? 19 : 18] = (uint8_t)orientation;
    return 26;
}

/* A text as ImageMagick writes it. */
static size_t make_text(char *text, const char *keyword, const char *prefix, const uint8_t *exif)
{
    size_t used = strlen(keyword) + 1;
    memcpy(text, keyword, used);
    used += (size_t)sprintf(text + used, "\nexif\n      %zu\n%s", strlen(prefix) / 2 + 26, prefix);
    for (int i = 0; i < 26; i++)
        used += (size_t)sprintf(text + used, i % 10 == 9 ? "%02x\n" : "%02x", exif[i]);
    return used;
}

static const png_shape shapes[] = {{WIDTH, HEIGHT, 8, RGB},
                                   {WIDTH, HEIGHT, 8, PALETTE},
                                   {WIDTH, HEIGHT, 16, RGBA},
                                   {WIDTH, HEIGHT, 8, GREY},
                                   {WIDTH, HEIGHT, 16, GREY_ALPHA}};

Test(png_marks, turns_as_exif_says)
{
    for (unsigned i = 0; i < 5 * 8 * 2 * 2; i++) {
        const png_shape shape = shapes[i % 5];
        const unsigned o = i / 5 % 8 + 1;
        uint8_t exif[26];
        const size_t size = make_exif(exif, i / 40 % 2, 0x12, o);
        file_name path = make(shape, NULL, NULL, 0, false);
        ssimcu_frame plain = read_good(&path);
        path = make(shape, "eXIf", exif, size, i / 80);
        expect_turned(shape, &path, &plain, o);
        free(plain.data);
    }
}

Test(png_marks, turns_as_texts_say)
{
    static const char *const keywords[] = {"Raw profile type exif", "Raw profile type APP1"};
    const png_shape shape = shapes[0];
    file_name path = make(shape, NULL, NULL, 0, false);
    ssimcu_frame plain = read_good(&path);
    for (unsigned o = 1; o <= 8; o++)
        for (int i = 0; i < 8; i++) {
            char text[300];
            uint8_t exif[26];
            make_exif(exif, i & 1, 0x12, o);
            size_t size = make_text(text, keywords[i / 2 % 2], i & 2 ? "457869660000" : "", exif);
            path = make(shape, "tEXt", text, size, i & 4);
            expect_turned(shape, &path, &plain, o);

            const size_t name = strlen(text) + 1; /* the same, compressed */
            char packed[300];
            size_t length;
            uint8_t *const zlib = png_deflate((uint8_t *)text + name, size - name,
                                              (png_style){.level = 6, .window_bits = 15}, &length);
            memcpy(packed, text, name);
            packed[name] = 0;
            memcpy(packed + name + 1, zlib, length);
            path = make(shape, "zTXt", packed, name + 1 + length, i & 4);
            expect_turned(shape, &path, &plain, o);
            free(zlib);
        }
    free(plain.data);
}

Test(png_marks, turns_as_xmp_says)
{
    static const char *const forms[] = {"<x tiff:Orientation=\"%u\"/>",
                                        "<x tiff:Orientation='%u'/>",
                                        "<tiff:Orientation>%u</tiff:Orientation>"};
    const png_shape shape = shapes[0];
    file_name path = make(shape, NULL, NULL, 0, false);
    ssimcu_frame plain = read_good(&path);
    for (unsigned i = 0; i < 3 * 10; i++) {
        char text[200] = "XML:com.adobe.xmp\0\0\0\0"; /* plain, without language and keyword */
        const size_t start = strlen(text) + 5;
        const size_t size = start + (size_t)sprintf(text + start, forms[i % 3], i / 3);
        path = make(shape, "iTXt", text, size, false);
        expect_turned(shape, &path, &plain, i / 3 >= 1 && i / 3 <= 8 ? i / 3 : 1);
    }
    free(plain.data);
}

/* Whatever says nothing, or is not whole, turns nothing. */
Test(png_marks, leaves_upright_what_says_nothing)
{
    const png_shape shape = shapes[0];
    char text[300];
    uint8_t exif[26];
    file_name path = make(shape, NULL, NULL, 0, false);
    ssimcu_frame plain = read_good(&path);
    make_exif(exif, true, 0x12, 6);
    const size_t size = make_text(text, "Raw profile type exif", "", exif);
    for (size_t cut = 0; cut < 20; cut++) {
        path = make(shape, "eXIf", exif, cut, false);
        expect_turned(shape, &path, &plain, 1);
    }
    for (size_t cut = 0; cut + 20 < size; cut++) {
        path = make(shape, cut % 2 ? "tEXt" : "zTXt", text, cut, false);
        expect_turned(shape, &path, &plain, 1);
        path = make(shape, "iTXt", text, cut, false);
        expect_turned(shape, &path, &plain, 1);
    }
    make_exif(exif, true, 0x13, 6);
    path = make(shape, "eXIf", exif, sizeof exif, false);
    expect_turned(shape, &path, &plain, 1);
    for (unsigned o = 0; o < 256; o += o ? 247 : 9) { /* 0 and 9 on */
        make_exif(exif, true, 0x12, o);
        path = make(shape, "eXIf", exif, sizeof exif, false);
        expect_turned(shape, &path, &plain, 1);
    }
    free(plain.data);
}

/* ---- Remarks --------------------------------------------------------------------------------- */

static void count_remark(void *user, const char *line)
{
    cr_expect(strstr(line, "a.png: "), "%s", line);
    ++*(int *)user;
}

/* libpng warns of the transparent colour with the header, and again with the pixels. */
Test(png_marks, remarks_once)
{
    static const uint8_t outside[] = {1, 0, 0, 0, 0, 0};
    int heard = 0;
    const ssimcu_image_options options = {
        .struct_size = sizeof options, .remark = count_remark, .user = &heard};
    const file_name path = make(shapes[0], "tRNS", outside, sizeof outside, false);
    cr_expect_eq(try_image(path.text, &options), SSIMCU_OK);
    cr_expect_eq(heard, 1, "%d", heard);
}
