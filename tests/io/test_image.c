/* io/: every file of testdata/ gives the pixels that an independent decoder gave; a failed write
 * harms nothing. What cannot be read: test_image_damaged.c. */
#define _GNU_SOURCE /* O_TMPFILE */
#include "image_file.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

TestSuite(image, .init = make_scratch, .fini = remove_scratch);

/* ---- Reading --------------------------------------------------------------------------------- */

/* Makes the first 16 hex digits of SHA-256 over the rows without their padding. */
static void hash(const ssimcu_frame *frame, char digits[17])
{
    const file_name path = scratch("pixels");
    FILE *file = fopen(path.text, "wb");
    cr_assert(file);
    for (uint32_t y = 0; y < frame->height; y++)
        cr_assert(fwrite(row_of(frame, y), row_bytes(frame), 1, file) == 1);
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
            if (row_of(frame, y)[i] != PADDING_BYTE) return false;
    return true;
}

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
    allocate_frame(&frame);
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

/* One call yields what two steps do, and nothing at all if they fail. */
Test(image, reads_in_one_call)
{
    const char *const good[] = {"rgb8_a.png", "rgb16_a.png", "orientation6.jpg"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        ssimcu_frame frame, wanted = {0};
        cr_assert(read_image(testdata(good[i]).text, NULL, &wanted, NULL) == SSIMCU_OK);
        memset(&frame, PADDING_BYTE, sizeof frame); /* not released: releasing it would crash */
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
        const file_name path = testdata(bad[i]);
        memset(&frame, PADDING_BYTE, sizeof frame);
        const ssimcu_status status = ssimcu_image_read(path.text, NULL, &frame, &message);
        cr_expect(status == read_image(path.text, NULL, &other, &wanted) && status != SSIMCU_OK);
        cr_expect_str_eq(message.text, wanted.text);
        cr_expect(memcmp(&frame, &empty, sizeof frame) == 0, "%s", bad[i]);
    }
    const ssimcu_image_options options = {.struct_size = sizeof options, .max_pixels = 96 * 64 - 1};
    ssimcu_frame frame;
    cr_expect(ssimcu_image_read(testdata("rgb8_a.png").text, &options, &frame, NULL) ==
              SSIMCU_ERROR_LIMIT);
    cr_expect_null(frame.data);
}

/* A file that is not asked for its size is read, and limits overflow no sum. */
Test(image, takes_limits_near_the_largest_number)
{
    for (uint64_t less = 0; less < 3; less++) {
        ssimcu_image_options options = SSIMCU_INIT(image_options);
        ssimcu_message why = {{0}};
        ssimcu_frame frame;
        options.max_file_bytes = options.max_pixels = UINT64_MAX - less;
        static const char *const names[] = {"rgb8_a.png", "progressive.jpg"};
        for (int i = 0; i < 2; i++) {
            char path[300];
            snprintf(path, sizeof path, "%s/%s", SSIMCU_TESTDATA, names[i]);
            cr_assert_eq(ssimcu_image_read(path, &options, &frame, &why), SSIMCU_OK, "%s",
                         why.text);
            ssimcu_frame_free(&frame);
        }
    }
}

/* The struct of an older header ends before `remark`: what lies behind it is not read. */
Test(image, takes_options_of_an_older_header)
{
    const size_t older = offsetof(ssimcu_image_options, remark);
    const file_name path = testdata("rgb8_a.png"), remarked = testdata("zero_width.png");
    for (int more = -1; more <= 1; more++) {
        ssimcu_image_options options;
        memset(&options, PADDING_BYTE, sizeof options); /* a remark would be a call to nowhere */
        options.struct_size = older;
        options.max_pixels = (uint64_t)(96 * 64 + more);
        options.max_file_bytes = 0;
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

/* ---- Writing --------------------------------------------------------------------------------- */

static ssimcu_frame some_frame(uint32_t channels)
{
    ssimcu_frame frame = {.width = 137, .height = 83, .channels = channels, .bits = 8};
    allocate_frame(&frame);
    for (uint32_t y = 0; y < frame.height; y++)
        for (uint32_t i = 0; i < row_bytes(&frame); i++)
            row_of(&frame, y)[i] = (uint8_t)(i * i + 31 * y * channels);
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
        const file_name path = scratch("written.png"); /* the file exists from the second time on */
        ssimcu_message message = {0};
        cr_expect(ssimcu_image_write_png(path.text, &frame, &message) == SSIMCU_OK, "%s",
                  message.text);
        cr_assert(read_image(path.text, NULL, &back, &message) == SSIMCU_OK, "%s", message.text);
        cr_expect(same_pixels(&frame, &back));
        free(frame.data);
        free(back.data);
    }
    cr_expect_eq(entries(scratch_directory), 1);
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
    cr_expect_eq(entries(scratch_directory), 0);
    free(frame.data);
}

Test(image, names_the_file_that_it_cannot_write)
{
    ssimcu_frame frame = some_frame(3);
    const file_name paths[] = {scratch("missing/a.png"), {"/dev/null"}, scratch(".")};
    for (int i = 0; i < 3; i++) {
        ssimcu_message message = {0};
        cr_expect(ssimcu_image_write_png(paths[i].text, &frame, &message) == SSIMCU_ERROR_WRITE);
        expect_message(&message, paths[i].text, i == 0 ? "No such file" : "not a regular file");
    }
    struct stat null;
    cr_expect(stat("/dev/null", &null) == 0 && S_ISCHR(null.st_mode));
    cr_expect_eq(entries(scratch_directory), 0);
    free(frame.data);
}

Test(image, keeps_the_old_file_when_a_write_fails)
{
    const file_name path = scratch("kept.png");
    ssimcu_frame old = some_frame(3), changed = some_frame(4), back = {0};
    cr_assert(ssimcu_image_write_png(path.text, &old, NULL) == SSIMCU_OK);

    struct rlimit limit, low;
    cr_assert(getrlimit(RLIMIT_FSIZE, &limit) == 0);
    low = limit;
    low.rlim_cur = 100;
    signal(SIGXFSZ, SIG_IGN); /* a full disk, as this process sees it */
    cr_assert(setrlimit(RLIMIT_FSIZE, &low) == 0);
    ssimcu_message message = {0};
    const ssimcu_status status = ssimcu_image_write_png(path.text, &changed, &message);
    cr_assert(setrlimit(RLIMIT_FSIZE, &limit) == 0);

    cr_expect(status == SSIMCU_ERROR_WRITE);
    expect_message(&message, path.text, "cannot write");
    cr_expect_eq(entries(scratch_directory), 1);
    cr_assert(read_image(path.text, NULL, &back, NULL) == SSIMCU_OK);
    cr_expect(same_pixels(&old, &back));
    free(old.data);
    free(changed.data);
    free(back.data);
}

/* A signal ends the program in the middle of a write. */
Test(image, leaves_nothing_when_killed)
{
    const file_name path = scratch("killed.png");
    const int nameless = open(scratch_directory, O_TMPFILE | O_WRONLY, 0600);
    if (nameless < 0) cr_skip_test("this file system has no files without a name");
    close(nameless);
    const pid_t child = fork();
    if (child == 0) {
        const struct rlimit low = {.rlim_cur = 100, .rlim_max = 100};
        const ssimcu_frame frame = some_frame(3);
        signal(SIGXFSZ, SIG_DFL);
        if (setrlimit(RLIMIT_FSIZE, &low) == 0)
            (void)!ssimcu_image_write_png(path.text, &frame, NULL);
        _exit(0);
    }
    int ended = 0;
    cr_assert_eq(waitpid(child, &ended, 0), child);
    cr_expect(WIFSIGNALED(ended) && WTERMSIG(ended) == SIGXFSZ, "it was not killed");
    cr_expect_eq(entries(scratch_directory), 0);
}
