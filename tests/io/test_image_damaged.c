/* io/ and what it cannot read: damage is never silent, limits hold, and every refusal says why. */
#include "image_file.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(image, .init = make_scratch, .fini = remove_scratch);

Test(image, refuses_damaged_files_and_says_why)
{
    FILE *const table = fopen(testdata("damaged.tsv").text, "r");
    cr_assert(table);
    char line[256], file[128], wanted[32], text[128];
    int rows = 0;
    while (fgets(line, sizeof line, table)) {
        if (line[0] == '#') continue;
        cr_assert(sscanf(line, "%127s %31s %127[^\n]", file, wanted, text) == 3);
        const file_name path = testdata(file);
        ssimcu_frame frame = {0};
        ssimcu_message message = {0};
        const ssimcu_status status = read_image(path.text, NULL, &frame, &message);
        cr_expect_str_eq(ssimcu_status_name(status), wanted, "%s: %s", file, message.text);
        expect_message(&message, path.text, text);
        rows++;
    }
    fclose(table);
    cr_expect_gt(rows, 35);
}

static void write_file(const char *path, const uint8_t *bytes, size_t size)
{
    FILE *const file = fopen(path, "wb");
    cr_assert(file);
    cr_assert(fwrite(bytes, 1, size, file) == size);
    cr_assert(fclose(file) == 0);
}

Test(image, never_decodes_a_truncated_file)
{
    const char *const files[] = {
        "tiny11x11.png",   "tiny3x2_adam7.png", "odd37x23_palette2_adam7.png",
        "ancillary.png",   "tiny16x16.jpg",     "tiny16x16_progressive.jpg",
        "orientation6.jpg"};
    const file_name path = scratch("truncated");
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        size_t size = 0;
        uint8_t *const bytes = read_file(testdata(files[i]).text, &size);
        /* A large file is cut at every byte of its first and last parts. */
        for (size_t length = 0; length < size; length++) {
            if (length == 2000 && size > 4000) length = size - 2000;
            write_file(path.text, bytes, length);
            const ssimcu_status status = try_image(path.text, NULL);
            cr_expect(status == SSIMCU_ERROR_DATA, "%s: %zu of %zu bytes: %s", files[i], length,
                      size, ssimcu_status_name(status));
        }
        write_file(path.text, bytes, size);
        cr_expect(try_image(path.text, NULL) == SSIMCU_OK, "%s", files[i]);
        free(bytes);
    }
}

Test(image, never_decodes_a_changed_png_to_other_pixels)
{
    const char *const files[] = {"tiny11x11.png", "odd37x23_palette2_adam7.png"};
    static const uint8_t changes[] = {0x01, 0x20, 0x80, 0xFF};
    const file_name path = scratch("changed.png");
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        ssimcu_frame whole = {0};
        cr_assert(read_image(testdata(files[i]).text, NULL, &whole, NULL) == SSIMCU_OK);
        size_t size = 0;
        uint8_t *const bytes = read_file(testdata(files[i]).text, &size);
        for (size_t at = 0; at < size * sizeof changes; at++) {
            const uint8_t change = changes[at % sizeof changes];
            bytes[at / sizeof changes] ^= change;
            write_file(path.text, bytes, size);
            bytes[at / sizeof changes] ^= change;
            ssimcu_frame frame = {0};
            if (read_image(path.text, NULL, &frame, NULL) != SSIMCU_OK) continue;
            cr_expect(same_pixels(&frame, &whole), "%s: byte %zu ^ %u", files[i],
                      at / sizeof changes, change);
            free(frame.data);
        }
        free(bytes);
        free(whole.data);
    }
}

Test(image, holds_its_limits)
{
    const char *const files[] = {"rgb8_a.png", "yuv420.jpg", "orientation6.jpg"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        const file_name path = testdata(files[i]);
        size_t size = 0;
        free(read_file(path.text, &size));
        for (int more = -1; more <= 1; more++) {
            const ssimcu_image_options limits[] = {
                {.struct_size = sizeof limits[0], .max_pixels = (uint64_t)(96 * 64 + more)},
                {.struct_size = sizeof limits[0], .max_file_bytes = size + (size_t)more},
            };
            const ssimcu_status wanted = more < 0 ? SSIMCU_ERROR_LIMIT : SSIMCU_OK;
            for (int j = 0; j < 2; j++)
                cr_expect(try_image(path.text, &limits[j]) == wanted, "%s, limit %d%+d", files[i],
                          j, more);
        }
    }
}

Test(image, names_what_is_no_file)
{
    ssimcu_frame frame = {0};
    ssimcu_message message = {0};
    cr_expect(read_image(scratch_directory, NULL, &frame, &message) == SSIMCU_ERROR_FILE);
    expect_message(&message, scratch_directory, "is a directory");
    message.text[0] = '\0';
    const file_name missing = scratch("missing.png");
    cr_expect(read_image(missing.text, NULL, &frame, &message) == SSIMCU_ERROR_FILE);
    expect_message(&message, missing.text, "No such file");
}

Test(image, gives_the_reason_also_after_a_long_path)
{
    char path[2000] = "";
    while (strlen(path) < sizeof path - 10) strcat(path, "./");
    strcat(path, "a.png");
    ssimcu_frame frame = {0};
    ssimcu_message message = {0};
    cr_expect(read_image(path, NULL, &frame, &message) == SSIMCU_ERROR_FILE);
    cr_expect(strstr(message.text, "a.png: No such file"), "%s", message.text);
}

static void no_remark(void *user, const char *line)
{
    (void)user;
    cr_expect(false, "%s", line);
}

/* The error says what is wrong; libpng's warning before it would be a second line. */
Test(image, has_no_remark_on_a_bad_file)
{
    const ssimcu_image_options options = {.struct_size = sizeof options, .remark = no_remark};
    cr_expect(try_image(testdata("zero_width.png").text, &options) == SSIMCU_ERROR_DATA);
}
