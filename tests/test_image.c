/* io/: every file of testdata/ gives the pixels that an independent decoder gave, or the right
 * refusal; damage is never silent; limits hold; a failed write harms nothing. */
#include "ssimcu_io.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PADDING = 24, PADDING_BYTE = 0xA5, MAX_PATH = 512 };

static char directory[] = "/tmp/ssimcu-test-image-XXXXXX";

static void make_directory(void) { cr_assert(mkdtemp(directory)); }

static void remove_directory(void)
{
    char command[MAX_PATH];
    snprintf(command, sizeof command, "rm -r '%s'", directory);
    cr_expect(system(command) == 0);
}

TestSuite(image, .init = make_directory, .fini = remove_directory);

/* ---- Helpers --------------------------------------------------------------------------------- */

typedef struct name {
    char text[MAX_PATH];
} name;

static name testdata(const char *file)
{
    name path;
    snprintf(path.text, sizeof path.text, "%s/%s", SSIMCU_TESTDATA, file);
    return path;
}

static name scratch(const char *file)
{
    name path;
    snprintf(path.text, sizeof path.text, "%s/%s", directory, file);
    return path;
}

static size_t row_bytes(const ssimcu_frame *frame)
{
    return (size_t)frame->width * frame->channels * (frame->bits / 8);
}

static uint8_t *row(const ssimcu_frame *frame, uint32_t y)
{
    return (uint8_t *)frame->data + y * frame->pitch;
}

/* Memory for pixels of frame's shape, all set to the padding byte. */
static void allocate(ssimcu_frame *frame)
{
    frame->pitch = row_bytes(frame) + PADDING;
    frame->data = malloc(frame->pitch * frame->height);
    cr_assert(frame->data);
    memset(frame->data, PADDING_BYTE, frame->pitch * frame->height);
}

/* Opens and decodes; on success frame->data is the caller's to free. */
static ssimcu_status read_image(const char *path, const ssimcu_image_options *options,
                                ssimcu_frame *frame, ssimcu_message *message)
{
    ssimcu_image *image = NULL;
    ssimcu_status status = ssimcu_image_open(path, options, &image, message);
    cr_assert((status == SSIMCU_OK) == (image != NULL));
    if (status != SSIMCU_OK) return status;
    *frame = ssimcu_image_shape(image);
    cr_assert(frame->data == NULL && frame->pitch == 0);
    allocate(frame);
    status = ssimcu_image_decode(image, frame, message);
    if (status != SSIMCU_OK) free(frame->data);
    ssimcu_image_close(&image);
    cr_assert_null(image);
    return status;
}

static ssimcu_status try_image(const char *path, const ssimcu_image_options *options)
{
    ssimcu_frame frame = {0};
    const ssimcu_status status = read_image(path, options, &frame, NULL);
    if (status == SSIMCU_OK) free(frame.data);
    return status;
}

static void write_file(const char *path, const uint8_t *bytes, size_t size)
{
    FILE *const file = fopen(path, "wb");
    cr_assert(file);
    cr_assert(fwrite(bytes, 1, size, file) == size);
    cr_assert(fclose(file) == 0);
}

static uint8_t *read_file(const char *path, size_t *size)
{
    FILE *const file = fopen(path, "rb");
    cr_assert(file, "%s", path);
    cr_assert(fseek(file, 0, SEEK_END) == 0);
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *const bytes = malloc(*size + 1);
    cr_assert(bytes);
    cr_assert(fread(bytes, 1, *size, file) == *size);
    fclose(file);
    return bytes;
}

/* The first 16 hex digits of SHA-256 over the rows without their padding. */
static void hash(const ssimcu_frame *frame, char digits[17])
{
    const name path = scratch("pixels");
    FILE *file = fopen(path.text, "wb");
    cr_assert(file);
    for (uint32_t y = 0; y < frame->height; y++)
        cr_assert(fwrite(row(frame, y), row_bytes(frame), 1, file) == 1);
    cr_assert(fclose(file) == 0);
    char command[MAX_PATH + 16];
    snprintf(command, sizeof command, "sha256sum '%s'", path.text);
    file = popen(command, "r");
    cr_assert(file);
    cr_assert(fread(digits, 1, 16, file) == 16);
    digits[16] = '\0';
    pclose(file);
}

static bool padding_is_untouched(const ssimcu_frame *frame)
{
    for (uint32_t y = 0; y < frame->height; y++)
        for (size_t i = row_bytes(frame); i < frame->pitch; i++)
            if (row(frame, y)[i] != PADDING_BYTE) return false;
    return true;
}

static bool same_pixels(const ssimcu_frame *a, const ssimcu_frame *b)
{
    if (a->width != b->width || a->height != b->height || a->channels != b->channels ||
        a->bits != b->bits)
        return false;
    for (uint32_t y = 0; y < a->height; y++)
        if (memcmp(row(a, y), row(b, y), row_bytes(a)) != 0) return false;
    return true;
}

/* A message is one line and starts with the file's path. */
static void expect_message(const ssimcu_message *message, const char *path, const char *text)
{
    cr_expect(strncmp(message->text, path, strlen(path)) == 0, "%s", message->text);
    cr_expect(strstr(message->text, text), "\"%s\" lacks \"%s\"", message->text, text);
    cr_expect_null(strchr(message->text, '\n'));
}

/* ---- Reading --------------------------------------------------------------------------------- */

Test(image, decodes_to_the_expected_pixels)
{
    FILE *const table = fopen(testdata("expected.tsv").text, "r");
    cr_assert(table);
    char line[256], file[128], wanted[17], got[17];
    int rows = 0;
    while (fgets(line, sizeof line, table)) {
        unsigned width, height, channels, bits;
        if (line[0] == '#') continue;
        cr_assert(sscanf(line, "%127s %u %u %u %u %16s", file, &width, &height, &channels, &bits,
                         wanted) == 6);
        ssimcu_frame frame = {0};
        ssimcu_message message = {0};
        cr_expect(read_image(testdata(file).text, NULL, &frame, &message) == SSIMCU_OK, "%s",
                  message.text);
        rows++;
        if (!frame.data) continue;
        cr_expect(frame.width == width && frame.height == height && frame.channels == channels &&
                      frame.bits == bits,
                  "%s: %ux%u, %u channels of %u bits", file, frame.width, frame.height,
                  frame.channels, frame.bits);
        hash(&frame, got);
        cr_expect_str_eq(got, wanted, "%s: %s, expected %s", file, got, wanted);
        cr_expect(padding_is_untouched(&frame), "%s", file);
        free(frame.data);
    }
    fclose(table);
    cr_expect_gt(rows, 50);
}

Test(image, refuses_damaged_files_and_says_why)
{
    FILE *const table = fopen(testdata("damaged.tsv").text, "r");
    cr_assert(table);
    char line[256], file[128], wanted[32], text[128];
    int rows = 0;
    while (fgets(line, sizeof line, table)) {
        if (line[0] == '#') continue;
        cr_assert(sscanf(line, "%127s %31s %127[^\n]", file, wanted, text) == 3);
        const name path = testdata(file);
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

Test(image, never_decodes_a_truncated_file)
{
    const char *const files[] = {
        "tiny11x11.png",   "tiny3x2_adam7.png", "odd37x23_palette2_adam7.png",
        "ancillary.png",   "tiny16x16.jpg",     "tiny16x16_progressive.jpg",
        "orientation6.jpg"};
    const name path = scratch("truncated");
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
    const name path = scratch("changed.png");
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
        const name path = testdata(files[i]);
        size_t size = 0;
        free(read_file(path.text, &size));
        for (int more = -1; more <= 1; more++) {
            const ssimcu_image_options limits[] = {
                {.struct_size = sizeof limits[0], .max_side = (uint32_t)(96 + more)},
                {.struct_size = sizeof limits[0], .max_pixels = (uint64_t)(96 * 64 + more)},
                {.struct_size = sizeof limits[0], .max_file_bytes = size + (size_t)more},
            };
            const ssimcu_status wanted = more < 0 ? SSIMCU_ERROR_LIMIT : SSIMCU_OK;
            for (int j = 0; j < 3; j++)
                cr_expect(try_image(path.text, &limits[j]) == wanted, "%s, limit %d%+d", files[i],
                          j, more);
        }
    }
}

Test(image, names_what_is_no_file)
{
    ssimcu_frame frame = {0};
    ssimcu_message message = {0};
    cr_expect(read_image(directory, NULL, &frame, &message) == SSIMCU_ERROR_FILE);
    expect_message(&message, directory, "is a directory");
    message.text[0] = '\0';
    const name missing = scratch("missing.png");
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

Test(image, reads_a_pipe_up_to_the_limit)
{
    for (int i = 0; i < 2; i++) {
        int ends[2];
        cr_assert(pipe(ends) == 0);
        size_t size = 0;
        uint8_t *const bytes = read_file(testdata("rgb8_a.png").text, &size);
        cr_assert(write(ends[1], bytes, size) == (ssize_t)size);
        close(ends[1]);
        free(bytes);
        char path[32];
        snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
        const ssimcu_image_options options = {.struct_size = sizeof options,
                                              .max_file_bytes = i == 0 ? size : size - 1};
        cr_expect(try_image(path, &options) == (i == 0 ? SSIMCU_OK : SSIMCU_ERROR_LIMIT));
        close(ends[0]);
    }
}

Test(image, decodes_once_and_only_into_its_own_shape)
{
    ssimcu_image *image = NULL;
    cr_assert(ssimcu_image_open(testdata("rgb16_a.png").text, NULL, &image, NULL) == SSIMCU_OK);
    cr_expect_str_eq(ssimcu_image_format(image), "PNG");
    ssimcu_frame frame = ssimcu_image_shape(image);
    cr_expect(ssimcu_image_decode(image, &frame, NULL) == SSIMCU_ERROR_ARGUMENT); /* no data */
    allocate(&frame);
    ssimcu_frame wrong[5] = {frame, frame, frame, frame, frame};
    wrong[0].width++;
    wrong[1].height--;
    wrong[2].channels = 4;
    wrong[3].bits = 8;
    wrong[4].pitch = row_bytes(&frame) - 2;
    for (int i = 0; i < 5; i++)
        cr_expect(ssimcu_image_decode(image, &wrong[i], NULL) == SSIMCU_ERROR_ARGUMENT, "%d", i);
    cr_expect(ssimcu_image_decode(image, &frame, NULL) == SSIMCU_OK);
    cr_expect(ssimcu_image_decode(image, &frame, NULL) == SSIMCU_ERROR_ARGUMENT);
    free(frame.data);
    ssimcu_image_close(&image);
}

/* One call yields what two steps do, and nothing at all where they fail. */
Test(image, reads_in_one_call)
{
    const char *const good[] = {"rgb8_a.png", "rgb16_a.png", "orientation6.jpg"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        ssimcu_frame frame, wanted = {0};
        cr_assert(read_image(testdata(good[i]).text, NULL, &wanted, NULL) == SSIMCU_OK);
        memset(&frame, PADDING_BYTE, sizeof frame); /* not released: it would crash */
        cr_assert(ssimcu_image_read(testdata(good[i]).text, NULL, &frame, NULL) == SSIMCU_OK);
        cr_expect(same_pixels(&frame, &wanted), "%s", good[i]);
        ssimcu_frame_free(&frame);
        free(wanted.data);
    }
    /* the last one fails when it is decoded, the others before */
    static const ssimcu_frame empty;
    const char *const bad[] = {"missing.png", "zero_width.png", "truncated.png"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ssimcu_frame frame, other;
        ssimcu_message message = {0}, wanted = {0};
        const name path = testdata(bad[i]);
        memset(&frame, PADDING_BYTE, sizeof frame);
        const ssimcu_status status = ssimcu_image_read(path.text, NULL, &frame, &message);
        cr_expect(status == read_image(path.text, NULL, &other, &wanted) && status != SSIMCU_OK);
        cr_expect_str_eq(message.text, wanted.text);
        cr_expect(memcmp(&frame, &empty, sizeof frame) == 0, "%s", bad[i]);
    }
    const ssimcu_image_options options = {.struct_size = sizeof options, .max_side = 95};
    ssimcu_frame frame;
    cr_expect(ssimcu_image_read(testdata("rgb8_a.png").text, &options, &frame, NULL) ==
              SSIMCU_ERROR_LIMIT);
    cr_expect_null(frame.data);
}

/* The struct of an older header ends before `remark`: what lies behind it is not read. */
Test(image, takes_options_of_an_older_header)
{
    const size_t older = offsetof(ssimcu_image_options, remark);
    const name path = testdata("rgb8_a.png"), remarked = testdata("zero_width.png");
    for (int more = -1; more <= 1; more++) {
        ssimcu_image_options options;
        memset(&options, PADDING_BYTE, sizeof options); /* a remark would be a call to nowhere */
        options.struct_size = older;
        options.max_side = (uint32_t)(96 + more);
        options.max_pixels = options.max_file_bytes = 0;
        cr_expect(try_image(path.text, &options) == (more < 0 ? SSIMCU_ERROR_LIMIT : SSIMCU_OK));
        cr_expect(try_image(remarked.text, &options) == SSIMCU_ERROR_DATA);
        const size_t wrong[] = {older - sizeof(size_t), older + 1, sizeof options + sizeof(size_t)};
        for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
            options.struct_size = wrong[i];
            cr_expect(try_image(path.text, &options) == SSIMCU_ERROR_ARGUMENT, "%zu", wrong[i]);
        }
    }
}

Test(image, takes_null)
{
    ssimcu_image *image = NULL;
    ssimcu_frame frame = {0};
    cr_expect(ssimcu_image_open(NULL, NULL, &image, NULL) == SSIMCU_ERROR_ARGUMENT);
    cr_expect(ssimcu_image_open("a.png", NULL, NULL, NULL) == SSIMCU_ERROR_ARGUMENT);
    cr_expect(ssimcu_image_decode(NULL, &frame, NULL) == SSIMCU_ERROR_ARGUMENT);
    cr_expect(ssimcu_image_read(NULL, NULL, &frame, NULL) == SSIMCU_ERROR_ARGUMENT);
    cr_expect(ssimcu_image_read("a.png", NULL, NULL, NULL) == SSIMCU_ERROR_ARGUMENT);
    cr_expect(ssimcu_image_write_png(NULL, &frame, NULL) == SSIMCU_ERROR_ARGUMENT);
    cr_expect(ssimcu_image_write_png("a.png", NULL, NULL) == SSIMCU_ERROR_ARGUMENT);
    ssimcu_image_close(NULL);
    ssimcu_image_close(&image);
    cr_expect(strncmp(ssimcu_image_libraries(), "libpng 1.", 9) == 0);
    cr_expect(strstr(ssimcu_image_libraries(), ", libjpeg-turbo "), "%s", ssimcu_image_libraries());
}

static void keep_remark(void *user, const char *line) { snprintf(user, sizeof(name), "%s", line); }

Test(image, passes_on_remarks)
{
    const name path = testdata("zero_width.png");
    name remark = {""};
    const ssimcu_image_options options = {
        .struct_size = sizeof options, .remark = keep_remark, .user = &remark};
    cr_expect(try_image(path.text, &options) == SSIMCU_ERROR_DATA);
    cr_expect(strncmp(remark.text, path.text, strlen(path.text)) == 0, "%s", remark.text);
    cr_expect(strstr(remark.text, ": Image width is zero"), "%s", remark.text);
}

/* ---- Writing --------------------------------------------------------------------------------- */

static ssimcu_frame some_frame(uint32_t channels)
{
    ssimcu_frame frame = {.width = 137, .height = 83, .channels = channels, .bits = 8};
    allocate(&frame);
    for (uint32_t y = 0; y < frame.height; y++)
        for (uint32_t i = 0; i < row_bytes(&frame); i++)
            row(&frame, y)[i] = (uint8_t)(i * i + 31 * y * channels);
    return frame;
}

static int entries(const char *path)
{
    char command[MAX_PATH + 32];
    snprintf(command, sizeof command, "ls -A '%s' | wc -l", path);
    FILE *const list = popen(command, "r");
    int count = -1;
    cr_assert(list && fscanf(list, "%d", &count) == 1);
    pclose(list);
    return count;
}

Test(image, writes_what_it_reads)
{
    for (uint32_t channels = 1; channels <= 4; channels++) {
        ssimcu_frame frame = some_frame(channels), back = {0};
        const name path = scratch("written.png"); /* from the second time on it exists */
        ssimcu_message message = {0};
        cr_expect(ssimcu_image_write_png(path.text, &frame, &message) == SSIMCU_OK, "%s",
                  message.text);
        cr_assert(read_image(path.text, NULL, &back, &message) == SSIMCU_OK, "%s", message.text);
        cr_expect(same_pixels(&frame, &back));
        free(frame.data);
        free(back.data);
    }
    cr_expect_eq(entries(directory), 1);
}

Test(image, writes_only_frames_that_png_can_hold)
{
    ssimcu_frame frame = some_frame(4);
    ssimcu_frame wrong[7] = {frame, frame, frame, frame, frame, frame, frame};
    wrong[0].bits = 16;
    wrong[1].channels = 5;
    wrong[2].channels = 0;
    wrong[3].pitch = row_bytes(&frame) - 1;
    wrong[4].height = 0;
    wrong[5].data = NULL;
    wrong[6].height = UINT32_MAX;
    for (int i = 0; i < 7; i++)
        cr_expect(ssimcu_image_write_png(scratch("wrong.png").text, &wrong[i], NULL) ==
                      SSIMCU_ERROR_ARGUMENT,
                  "%d", i);
    cr_expect_eq(entries(directory), 0);
    free(frame.data);
}

Test(image, names_the_file_that_it_cannot_write)
{
    ssimcu_frame frame = some_frame(3);
    const name paths[] = {scratch("missing/a.png"), {"/dev/null"}, scratch(".")};
    for (int i = 0; i < 3; i++) {
        ssimcu_message message = {0};
        cr_expect(ssimcu_image_write_png(paths[i].text, &frame, &message) == SSIMCU_ERROR_WRITE);
        expect_message(&message, paths[i].text, i == 0 ? "No such file" : "not a regular file");
    }
    struct stat null;
    cr_expect(stat("/dev/null", &null) == 0 && S_ISCHR(null.st_mode));
    cr_expect_eq(entries(directory), 0);
    free(frame.data);
}

Test(image, keeps_the_old_file_when_a_write_fails)
{
    const name path = scratch("kept.png");
    ssimcu_frame old = some_frame(3), changed = some_frame(4), back = {0};
    cr_assert(ssimcu_image_write_png(path.text, &old, NULL) == SSIMCU_OK);

    struct rlimit limit, low;
    cr_assert(getrlimit(RLIMIT_FSIZE, &limit) == 0);
    low = limit;
    low.rlim_cur = 100;
    signal(SIGXFSZ, SIG_IGN); /* a full disk, as seen by this process */
    cr_assert(setrlimit(RLIMIT_FSIZE, &low) == 0);
    ssimcu_message message = {0};
    const ssimcu_status status = ssimcu_image_write_png(path.text, &changed, &message);
    cr_assert(setrlimit(RLIMIT_FSIZE, &limit) == 0);

    cr_expect(status == SSIMCU_ERROR_WRITE);
    expect_message(&message, path.text, "cannot write");
    cr_expect_eq(entries(directory), 1);
    cr_assert(read_image(path.text, NULL, &back, NULL) == SSIMCU_OK);
    cr_expect(same_pixels(&old, &back));
    free(old.data);
    free(changed.data);
    free(back.data);
}
