/* The file of learned limits: what is written is read again, damage is refused, and it is small. */
#include "check.h"
#include "learned/code.h"
#include "learned/learned_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static double normal(check_random *random)
{
    double sum = 0;
    for (int i = 0; i < 12; i++) sum += check_draw(random) / 4294967296.0;
    return sum - 6;
}

/* Fills in learned limits as `runs` runs teach them: every tile has a truth, which stays. */
static void make_learned(check_random *random, const struct learned_grid *grid, uint32_t runs,
                         struct learned_frame *learned)
{
    const size_t count = learned_all_values(grid);
    check_random truth = {7};
    *learned = (struct learned_frame){*grid, runs, malloc(count * sizeof(float)),
                                      malloc(count * sizeof(float))};
    cr_assert(learned->mean && learned->sigma);
    for (size_t i = 0; i < count; i++) {
        const double sigma = 0.01 * exp(normal(&truth) * 0.3);
        const double mean = 0.5 + 0.1 * normal(&truth);
        learned->mean[i] = (float)(mean + normal(random) * sigma / sqrt(runs));
        learned->sigma[i] = (float)(sigma * exp(normal(random) / sqrt(2.0 * 5 * runs)));
    }
}

static void temporary_path(char path[64])
{
    snprintf(path, 64, "/tmp/ssimcu-learned limits-XXXXXX");
    const int made = mkstemp(path);
    cr_assert_geq(made, 0);
    close(made);
}

/* Writes `frames` frames of a shot from number 1001 on. */
static void write_frames(const char *path, const char *shot, int frames,
                         const struct learned_grid *grid)
{
    struct learned_writer *writer;
    check_random random = {1};
    ssimcu_message message = {{0}};
    cr_assert_eq(learned_writer_open(path, &writer, &message), SSIMCU_OK, "%s", message.text);
    for (int i = 0; i < frames; i++) {
        struct learned_frame learned;
        make_learned(&random, grid, 24, &learned);
        cr_assert_eq(learned_writer_add(writer, shot, 1001 + i, &learned, &message), SSIMCU_OK);
        learned_frame_free(&learned);
    }
    cr_assert_eq(learned_writer_end(writer, &message), SSIMCU_OK, "%s", message.text);
    learned_writer_close(writer);
}

static void expect_near(const struct learned_frame *read, const struct learned_frame *learned)
{
    const size_t count = learned_all_values(&learned->grid);
    cr_assert_not_null(read->mean);
    cr_assert(learned_same_grid(&read->grid, &learned->grid));
    cr_expect_eq(read->runs, learned->runs);
    for (size_t i = 0; i < count; i++) {
        cr_assert_float_eq(log(read->sigma[i] / learned->sigma[i]), 0, 0.0320, "sigma %zu", i);
        cr_assert_float_eq(read->mean[i], learned->mean[i], read->sigma[i] * 0.0626, "mean %zu", i);
    }
}

Test(learned_file, what_is_written_is_read)
{
    static const char *const shots[] = {NULL, "a", "b/c"};
    const struct learned_grid grids[] = {{32, 100, 70, 3, 2, 3}, {128, 100, 70, 1, 1, 1}};
    enum { FRAMES = 40 };
    char path[64];
    struct learned_writer *writer;
    struct learned_file *file;
    struct learned_frame learned, read;
    check_random random = {1};
    temporary_path(path);
    cr_assert_eq(learned_writer_open(path, &writer, NULL), SSIMCU_OK);
    for (int i = 0; i < FRAMES; i++) {
        make_learned(&random, &grids[i % 20 / 19], 4, &learned);
        learned.mean[0] = i % 2 ? 1e9f : -1e9f; /* out of range */
        learned.mean[1] = (float)(i * 1000 - 5000);
        cr_assert_eq(learned_writer_add(writer, shots[i / 15], i < 39 ? i : LEARNED_FILE_SHOT,
                                        &learned, NULL),
                     SSIMCU_OK);
        learned_frame_free(&learned);
    }
    cr_assert_eq(learned_writer_end(writer, NULL), SSIMCU_OK);
    learned_writer_close(writer);
    cr_assert_eq(learned_file_open(path, &file, NULL), SSIMCU_OK);
    cr_expect_eq(learned_file_frames(file), FRAMES - 1);
    random.state = 1;
    for (int i = 0; i < FRAMES; i++) {
        make_learned(&random, &grids[i % 20 / 19], 4, &learned);
        learned.mean[1] = (float)(i * 1000 - 5000);
        const int64_t frame = i < 39 ? i : 4711;
        cr_assert_eq(learned_file_find(file, shots[i / 15], frame, &read, NULL), SSIMCU_OK);
        learned.mean[0] = read.mean[0];
        expect_near(&read, &learned);
        cr_expect_eq(fabsf(read.mean[0]) > 1e4f, true);
        learned_frame_free(&read);
        learned_frame_free(&learned);
    }
    cr_assert_eq(learned_file_find(file, "a", 4711, &read, NULL), SSIMCU_OK);
    cr_expect_null(read.mean, "a part without learned limits for all its frames");
    cr_assert_eq(learned_file_find(file, "d", 0, &read, NULL), SSIMCU_OK);
    cr_expect_null(read.mean);
    learned_file_close(file);
    unlink(path);
}

/* Frames know their references, by part and number. */
/* The sigma of each code, and a mean of so many eighths of it. */
Test(learned_file, codes_are_powers)
{
    enum { CODES = 256 };
    struct coded coded;
    float mean[CODES], sigma[CODES];
    struct learned_frame learned = {.mean = mean, .sigma = sigma};
    cr_assert(coded_new(&coded, CODES));
    for (int i = 0; i < CODES; i++) coded.sigma[i] = (uint8_t)i, coded.mean[i] = 40 - i;
    coded_give(&coded, &learned);
    for (int i = 0; i < CODES; i++) {
        const double exact = exp2(i / 11.0 - 12);
        cr_expect_float_eq(sigma[i], exact, exact * 1e-7, "code %d", i);
        cr_expect_float_eq(mean[i], (40 - i) * exact / 8, exact * 256 * 1e-7, "code %d", i);
    }
    coded_take(&learned, &coded);
    for (int i = 0; i < CODES; i++)
        cr_expect(coded.sigma[i] == i && coded.mean[i] == 40 - i, "code %d", i);
    coded_free(&coded);
}

Test(learned_file, references_are_read_again)
{
    static const char *const shots[] = {NULL, "", "b/c"};
    const struct learned_grid grid = {32, 100, 70, 3, 2, 3};
    enum { FRAMES = 40, GAP = 17 };
    char path[64];
    struct learned_writer *writer;
    struct learned_file *file;
    struct learned_frame learned;
    struct learned_reference read;
    check_random random = {1};
    temporary_path(path);
    cr_assert_eq(learned_writer_open(path, &writer, NULL), SSIMCU_OK);
    for (int i = 0; i < 3 * FRAMES; i++) {
        const struct learned_reference is = {(int64_t)i << 40, -i, (uint32_t)i, 0xfffffff0u + i};
        make_learned(&random, &grid, 4, &learned);
        cr_assert_eq(learned_writer_add(writer, shots[i / FRAMES], i % FRAMES, &learned, NULL),
                     SSIMCU_OK);
        if (i % FRAMES != GAP)
            cr_assert_eq(learned_writer_refer(writer, shots[i / FRAMES], i % FRAMES, &is, NULL),
                         SSIMCU_OK);
        learned_frame_free(&learned);
    }
    cr_assert_eq(learned_writer_end(writer, NULL), SSIMCU_OK);
    learned_writer_close(writer);
    cr_assert_eq(learned_file_open(path, &file, NULL), SSIMCU_OK);
    for (int i = 0; i < 3 * FRAMES; i++) {
        const bool found = learned_file_reference(file, shots[i / FRAMES], i % FRAMES, &read);
        cr_assert_eq(found, i % FRAMES != GAP, "%d", i);
        if (!found) continue;
        cr_assert(read.bytes == (int64_t)i << 40 && read.seconds == -i);
        cr_assert(read.nanoseconds == (uint32_t)i && read.crc == 0xfffffff0u + i);
    }
    cr_assert(!learned_file_reference(file, "d", 0, &read));
    cr_assert(!learned_file_reference(file, NULL, FRAMES, &read));
    learned_file_close(file);
    unlink(path);
}

/* 1,000 frames of 4K with tiles of 128 pixels take at most 8 MB. */
Test(learned_file, is_small)
{
    enum { FRAMES = 32 };
    const struct learned_grid grid = {128, 3840, 2160, 30, 17, 3};
    char path[64];
    struct stat info;
    temporary_path(path);
    write_frames(path, "sh010", FRAMES, &grid);
    cr_assert_eq(stat(path, &info), 0);
    cr_expect_leq(info.st_size, 8000 * FRAMES, "%lld bytes", (long long)info.st_size);
    unlink(path);
}

static uint8_t *read_all(const char *path, size_t *size)
{
    uint8_t *bytes = malloc(1 << 20);
    FILE *from = fopen(path, "r");
    cr_assert(bytes && from);
    *size = fread(bytes, 1, 1 << 20, from);
    fclose(from);
    return bytes;
}

/* Opens a file of these bytes and reads all of its frames. Returns the first error. */
static ssimcu_status try_bytes(const char *path, const uint8_t *bytes, size_t size, int frames)
{
    struct learned_file *file;
    ssimcu_message message = {{0}};
    unlink(path); /* some file systems wait for the disk when a file is written again */
    FILE *to = fopen(path, "w");
    cr_assert(to && fwrite(bytes, 1, size, to) == size && fclose(to) == 0);
    ssimcu_status status = learned_file_open(path, &file, &message);
    for (int i = 0; i < frames && status == SSIMCU_OK; i++) {
        struct learned_frame learned;
        status = learned_file_find(file, NULL, 1001 + i, &learned, &message);
        learned_frame_free(&learned);
    }
    if (status != SSIMCU_OK) {
        cr_expect_not_null(strstr(message.text, path), "%s", message.text);
        cr_expect_null(strchr(message.text, '\n'));
    }
    learned_file_close(file);
    return status;
}

Test(learned_file, damage_is_refused)
{
    const struct learned_grid grid = {32, 60, 30, 2, 1, 1};
    enum { FRAMES = 20 };
    char path[64];
    size_t size;
    temporary_path(path);
    write_frames(path, NULL, FRAMES, &grid);
    uint8_t *bytes = read_all(path, &size);
    cr_assert_eq(try_bytes(path, bytes, size, FRAMES), SSIMCU_OK);
    for (size_t i = 0; i < size; i++) {
        bytes[i] ^= 1 << i % 8;
        cr_expect_eq(try_bytes(path, bytes, size, FRAMES), SSIMCU_ERROR_DATA, "byte %zu", i);
        bytes[i] ^= 1 << i % 8;
        cr_expect_eq(try_bytes(path, bytes, i, FRAMES), SSIMCU_ERROR_DATA, "cut at %zu", i);
    }
    free(bytes);
    unlink(path);
}

Test(learned_file, says_what_it_is_not)
{
    struct learned_file *file;
    struct learned_writer *writer;
    ssimcu_message message = {{0}};
    cr_expect_eq(learned_file_open("/nonexistent/f", &file, &message), SSIMCU_ERROR_FILE);
    cr_expect_null(file);
    cr_expect_str_eq(message.text, "/nonexistent/f: No such file or directory");
    message.text[0] = '\0';
    cr_expect_eq(learned_writer_open("/nonexistent/f", &writer, &message), SSIMCU_ERROR_WRITE);
    cr_expect_null(writer);
    cr_expect_str_eq(message.text,
                     "/nonexistent/f: cannot be written: there is no directory /nonexistent");
}

/* Values of another version were made otherwise, so they say nothing about a frame of today. */
Test(learned_file, another_version_is_refused)
{
    const struct learned_grid grid = {32, 60, 30, 2, 1, 1};
    struct learned_file *file;
    ssimcu_message message = {{0}};
    char path[64], expected[160];
    temporary_path(path);
    write_frames(path, NULL, 1, &grid);
    FILE *changed = fopen(path, "r+");
    cr_assert(changed && fseek(changed, 7, SEEK_SET) == 0 && fputc('1', changed) == '1');
    cr_assert_eq(fclose(changed), 0);
    cr_expect_eq(learned_file_open(path, &file, &message), SSIMCU_ERROR_DATA);
    snprintf(expected, sizeof expected,
             "%s: expected version 3 of a file of learned limits; calibrate again", path);
    cr_expect_str_eq(message.text, expected);
    unlink(path);
}

/* A writer that did not end leaves what was there. */
Test(learned_file, half_a_file_gets_no_name)
{
    const struct learned_grid grid = {32, 60, 30, 2, 1, 1};
    char path[64], temporary[72];
    struct learned_writer *writer;
    struct learned_file *file;
    temporary_path(path);
    snprintf(temporary, sizeof temporary, "%s.tmp", path);
    write_frames(path, NULL, 1, &grid);
    cr_assert_eq(learned_writer_open(path, &writer, NULL), SSIMCU_OK);
    cr_expect_eq(access(temporary, F_OK), 0);
    learned_writer_close(writer);
    cr_expect_neq(access(temporary, F_OK), 0);
    cr_assert_eq(learned_file_open(path, &file, NULL), SSIMCU_OK);
    cr_expect_eq(learned_file_frames(file), 1);
    learned_file_close(file);
    unlink(path);
}
