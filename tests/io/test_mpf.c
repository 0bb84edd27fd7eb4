/* JPEGs with further pictures: how many there are, and that the first is read with a remark. */
#include "image/jpeg/markers.h"
#include "image_file.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(mpf, .init = make_scratch, .fini = remove_scratch);

enum { PRIMARY = 0x030000, VIEW = 0x020002, PREVIEW_VGA = 0x010001, PREVIEW_HD = 0x010002 };

/* A marker's data as a camera writes it: version, number of pictures, their list. */
struct mpf {
    uint8_t bytes[160];
    size_t size;
    bool big_endian;
};

static void put(struct mpf *mpf, uint32_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        mpf->bytes[mpf->size + (mpf->big_endian ? bytes - 1 - i : i)] = (uint8_t)(value >> (8 * i));
    mpf->size += bytes;
}

static void put_entry(struct mpf *mpf, uint32_t tag, uint32_t type, uint32_t count, uint32_t value)
{
    put(mpf, tag, 2);
    put(mpf, type, 2);
    put(mpf, count, 4);
    put(mpf, value, 4);
}

/* `kinds` ends with 0, after the kind of the first picture. */
static struct mpf make(bool big_endian, const uint32_t *kinds)
{
    struct mpf mpf = {.size = 6, .big_endian = big_endian};
    uint32_t pictures = 0;
    while (kinds[pictures]) pictures++;
    memcpy(mpf.bytes, big_endian ? "MPF\0MM" : "MPF\0II", 6);
    put(&mpf, 42, 2);
    put(&mpf, 8, 4);
    put(&mpf, 3, 2);
    put_entry(&mpf, 0xB000, 7, 4, 0x30303130);
    put_entry(&mpf, 0xB001, 4, 1, pictures);
    put_entry(&mpf, 0xB002, 7, 16 * pictures, 50);
    put(&mpf, 0, 4);
    for (uint32_t i = 0; i < pictures; i++) {
        put(&mpf, kinds[i] | 0x80000000, 4);
        for (int k = 0; k < 3; k++) put(&mpf, 1000 * i, 4);
    }
    return mpf;
}

/* Counts in a copy that ends with the data, so that a sanitizer sees a read past it. */
static uint32_t count(const struct mpf *mpf, size_t size)
{
    uint8_t *const copy = malloc(size ? size : 1);
    cr_assert(copy);
    memcpy(copy, mpf->bytes, size);
    const uint32_t pictures = ssimcu_mpf_pictures(copy, size);
    free(copy);
    return pictures;
}

Test(mpf, counts_pictures_and_no_previews)
{
    static const struct {
        uint32_t kinds[6], wanted;
    } cases[] = {{{PRIMARY}, 1},
                 {{PRIMARY, VIEW}, 2},
                 {{PRIMARY, VIEW, VIEW}, 3},
                 {{PRIMARY, PREVIEW_VGA}, 1},
                 {{PRIMARY, PREVIEW_VGA, PREVIEW_HD}, 1},
                 {{PRIMARY, PREVIEW_VGA, VIEW, PREVIEW_HD}, 2},
                 {{PREVIEW_VGA, VIEW}, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int big_endian = 0; big_endian < 2; big_endian++) {
            const struct mpf mpf = make(big_endian, cases[i].kinds);
            cr_expect_eq(count(&mpf, mpf.size), cases[i].wanted, "%zu", i);
        }
}

/* Without their entries in the list all pictures count; without the number there is one. */
Test(mpf, takes_no_more_than_the_data)
{
    static const uint32_t kinds[] = {PRIMARY, PREVIEW_VGA, VIEW, 0};
    struct mpf mpf = make(false, kinds);
    const size_t number = 4 + 8 + 2 + 24, list = 4 + 50;
    for (size_t size = 0; size < mpf.size; size++)
        cr_expect_eq(count(&mpf, size),
                     size < number      ? 1u
                     : size < list + 32 ? 3u
                                        : 2u,
                     "%zu", size);
    memset(mpf.bytes + 4 + 8 + 2 + 12 + 8, 0xFF, 4);
    cr_expect_eq(count(&mpf, mpf.size), UINT32_MAX - 1);
    memset(mpf.bytes + 4 + 8 + 2 + 24 + 8, 0xFF, 4);
    cr_expect_eq(count(&mpf, mpf.size), UINT32_MAX);
    mpf.bytes[0] = 'm';
    cr_expect_eq(count(&mpf, mpf.size), 1u);
}

static void add_remark(void *user, const char *line)
{
    file_name *const heard = user;
    strncat(heard->text, line, sizeof heard->text - strlen(heard->text) - 1);
}

/* Writes yuv420.jpg with such a marker, behind one with a colour profile. */
static file_name write_jpeg(const struct mpf *mpf)
{
    const file_name path = scratch("a.jpg");
    const uint8_t marker[] = {0xFF, 0xE2, 0, (uint8_t)(mpf->size + 2)};
    static const char profile[] = "\xFF\xE2\0\x10ICC_PROFILE\0\1";
    size_t size = 0;
    uint8_t *const bytes = read_file(testdata("yuv420.jpg").text, &size);
    FILE *const file = fopen(path.text, "wb");
    cr_assert(file && fwrite(bytes, 1, 2, file) == 2 && fwrite(profile, 1, 18, file) == 18 &&
              fwrite(marker, 1, 4, file) == 4 &&
              fwrite(mpf->bytes, 1, mpf->size, file) == mpf->size &&
              fwrite(bytes + 2, 1, size - 2, file) == size - 2 && fclose(file) == 0);
    free(bytes);
    return path;
}

Test(mpf, remarks_once_and_reads_the_first)
{
    static const uint32_t kinds[2][4] = {{PRIMARY, VIEW, PREVIEW_HD}, {PRIMARY, PREVIEW_HD}};
    ssimcu_frame plain = {0};
    cr_assert(read_image(testdata("yuv420.jpg").text, NULL, &plain, NULL) == SSIMCU_OK);
    for (int i = 0; i < 2; i++) {
        const struct mpf mpf = make(i, kinds[i]);
        const file_name path = write_jpeg(&mpf);
        file_name heard = {""}, wanted = {""};
        const ssimcu_image_options options = {
            .struct_size = sizeof options, .remark = add_remark, .user = &heard};
        ssimcu_frame frame = {0};
        cr_expect(read_image(path.text, &options, &frame, NULL) == SSIMCU_OK);
        cr_expect(same_pixels(&frame, &plain));
        if (i == 0)
            snprintf(wanted.text, sizeof wanted.text,
                     "%.300s: only the first of the 2 pictures in the file is compared", path.text);
        cr_expect_str_eq(heard.text, wanted.text);
        free(frame.data);
    }
    free(plain.data);
}

/* Before a marker any number of fill bytes may stand. */
Test(mpf, skips_fill_bytes)
{
    size_t size = 0;
    uint8_t *const bytes = read_file(testdata("yuv420.jpg").text, &size);
    ssimcu_frame frame = {0};
    cr_assert(read_image(testdata("yuv420.jpg").text, NULL, &frame, NULL) == SSIMCU_OK);
    for (size_t fill = 0; fill < 4; fill++) {
        uint8_t *const filled = malloc(size + fill);
        cr_assert(filled);
        memset(filled, 0xFF, 2 + fill);
        filled[1] = bytes[1];
        memcpy(filled + 2 + fill, bytes + 2, size - 2);
        cr_expect(ssimcu_jpeg_has_size(filled, size + fill, frame.width, frame.height), "%zu",
                  fill);
        cr_expect_not(ssimcu_jpeg_has_size(filled, size + fill, frame.width + 1, frame.height));
        free(filled);
    }
    free(bytes);
    free(frame.data);
}
