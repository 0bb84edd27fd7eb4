/* io/image/: the fast PNG reader against libpng, and its filters against their definition, over
 * sizes, filters and kinds of compression. Damage at random: png_mutations.c. */
#include "image/holds.h"
#include "image_file.h"
#include "png_maker.h"
#include "unfilter.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const png_style plain = {.level = 1, .window_bits = 15};

static const png_shape kinds[] = {{0, 0, 8, GREY},        {0, 0, 16, GREY}, {0, 0, 8, GREY_ALPHA},
                                  {0, 0, 16, GREY_ALPHA}, {0, 0, 8, RGB},   {0, 0, 16, RGB},
                                  {0, 0, 8, RGBA},        {0, 0, 16, RGBA}, {0, 0, 8, PALETTE}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static png_shape sized(png_shape kind, uint32_t width, uint32_t height)
{
    kind.width = width;
    kind.height = height;
    return kind;
}

/* Makes filtered rows; extreme bytes are as frequent as all others. NULL filters are drawn at
 * random. */
static void fill_rows(uint8_t *raw, png_shape shape, const uint8_t *filters, uint32_t *state)
{
    static const uint8_t extreme[] = {0, 1, 127, 128, 254, 255};
    const size_t row = png_row_bytes(shape) + 1;
    for (uint32_t y = 0; y < shape.height; y++)
        for (size_t i = 0; i < row; i++) {
            const uint32_t random = png_random(state) >> 4;
            if (i == 0)
                raw[y * row] = filters ? filters[y % 5] : (uint8_t)(random % 5);
            else
                raw[y * row + i] = random & 1 ? (uint8_t)(random >> 8) : extreme[random / 2 % 6];
        }
}

static enum verdict compare_made(png_shape shape, png_style style, const uint8_t *raw)
{
    made_png png = {0};
    png_make(&png, shape, style, raw);
    const enum verdict verdict = png_compare_readers(png.bytes, png.size);
    free(png.bytes);
    return verdict;
}

Test(png, reads_every_width_and_row_count_as_libpng)
{
    uint8_t raw[20 * (70 * 8 + 1)];
    uint32_t state = 1;
    for (int kind = 0; kind < KINDS; kind++)
        for (uint32_t width = 1; width <= 70; width++)
            for (uint32_t height = 1; height <= 20; height++) {
                const png_shape shape = sized(kinds[kind], width, height);
                fill_rows(raw, shape, NULL, &state);
                cr_assert_eq(compare_made(shape, plain, raw), BOTH_READ, "%ux%u, kind %d", width,
                             height, kind);
            }
}

/* Sixteen rows, so that the five filters come abreast in every order. */
Test(png, reads_every_filter_sequence_of_five_rows_as_libpng)
{
    uint8_t raw[16 * (7 * 8 + 1)];
    uint32_t state = 2;
    for (int kind = 0; kind < KINDS - 1; kind++)
        for (int sequence = 0; sequence < 5 * 5 * 5 * 5 * 5; sequence++) {
            const uint8_t filters[] = {(uint8_t)(sequence % 5), (uint8_t)(sequence / 5 % 5),
                                       (uint8_t)(sequence / 25 % 5), (uint8_t)(sequence / 125 % 5),
                                       (uint8_t)(sequence / 625)};
            const png_shape shape = sized(kinds[kind], 7, sequence % 2 ? 16 : 5);
            fill_rows(raw, shape, filters, &state);
            cr_assert_eq(compare_made(shape, plain, raw), BOTH_READ, "kind %d, sequence %d", kind,
                         sequence);
        }
}

/* Undoes the filters as the standard defines them. */
static void unfilter_by_definition(uint8_t *to, const uint8_t *above, const uint8_t *raw,
                                   size_t size, size_t pixel)
{
    for (size_t i = 0; i < size; i++) {
        const int a = i >= pixel ? to[i - pixel] : 0, b = above[i],
                  c = i >= pixel ? above[i - pixel] : 0, p = a + b - c;
        const int pa = abs(p - a), pb = abs(p - b), pc = abs(p - c);
        const int paeth = pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
        const int guess[] = {0, a, b, (a + b) / 2, paeth};
        to[i] = (uint8_t)(raw[i + 1] + guess[raw[0]]);
    }
}

/* Returns whether the rows came out right, and nothing was written beside them. */
static bool unfilters(const struct ssimcu_unfilter_level *level, png_shape shape,
                      const uint8_t *raw)
{
    enum { PAD = 5 };
    const size_t row = png_row_bytes(shape), pitch = row + PAD;
    uint8_t *const memory = calloc(2 * shape.height + 1, pitch), *const to = memory + pitch,
                   *const wanted = to + shape.height * pitch;
    memset(to, 0xA5, 2 * shape.height * pitch);
    const uint8_t *above = memory;
    for (uint32_t y = 0; y < shape.height; y++) {
        unfilter_by_definition(wanted + y * pitch, above, raw + y * (row + 1), row,
                               png_pixel_bytes(shape));
        above = wanted + y * pitch;
    }
    const struct ssimcu_filtered_rows rows = {.raw = raw,
                                              .to = to,
                                              .pitch = pitch,
                                              .above = memory,
                                              .row_bytes = row,
                                              .pixel_bytes = png_pixel_bytes(shape)};
    const bool good =
        ssimcu_unfilter(level, rows, shape.height) && memcmp(to, wanted, shape.height * pitch) == 0;
    free(memory);
    return good;
}

Test(png, undoes_filters_with_every_instruction_set)
{
    const struct ssimcu_unfilter_level *level = ssimcu_unfilter_levels;
    uint32_t state = 3;
    for (bool more = true; more; level++) {
        more = level->abreast != NULL; /* plain C is the last */
        if (!level->available()) continue;
        for (int kind = 0; kind < KINDS; kind++)
            for (uint32_t width = 1; width <= 70; width++)
                for (uint32_t height = 1; height <= 20; height++) {
                    static const uint8_t paeth[] = {4, 4, 4, 4, 4};
                    const png_shape shape = sized(kinds[kind], width, height);
                    const size_t size = height * (png_row_bytes(shape) + 1);
                    uint8_t *const raw = malloc(size); /* the exact size, for sanitizers */
                    fill_rows(raw, shape, height % 3 ? NULL : paeth, &state);
                    cr_assert(unfilters(level, shape, raw), "%s: %ux%u, kind %d", level->name,
                              width, height, kind);
                    free(raw);
                }
    }
}

/* These pictures hold more data than a band and a window, however compressed and cut. */
Test(png, reads_every_kind_of_compression_as_libpng)
{
    static const png_style styles[] = {
        {0, 0, 15, 0}, {1, 0, 15, 1000}, {6, 0, 15, 8192},  {9, 0, 15, 65536}, {6, 1, 15, 3},
        {6, 2, 15, 0}, {6, 3, 15, 4096}, {6, 4, 15, 70001}, {6, 0, 9, 0},      {9, 0, 14, 32768}};
    const png_shape shape = {301, 517, 8, RGB};
    const size_t size = shape.height * (png_row_bytes(shape) + 1);
    uint8_t *const raw = malloc(size);
    for (int content = 0; content < 3; content++) {
        uint32_t state = 4;
        fill_rows(raw, shape, NULL, &state);
        for (size_t i = 0; i < size; i++)
            if (i % (png_row_bytes(shape) + 1) && content) raw[i] = content == 1 ? 3 : raw[i] % 4;
        for (size_t i = 0; i < sizeof styles / sizeof styles[0]; i++)
            cr_expect_eq(compare_made(shape, styles[i], raw),
                         styles[i].window_bits == 15 ? BOTH_READ : ONLY_LIBPNG_READ,
                         "content %d, style %zu", content, i);
    }
    free(raw);
}

/* Bands have few rows; some kinds are left to libpng. */
Test(png, reads_long_rows_as_libpng)
{
    static const png_shape shapes[] = {{30000, 19, 8, RGB},
                                       {10000, 19, 16, RGB},
                                       {16384, 11, 16, RGBA},
                                       {24576, 5, 16, RGBA},
                                       {24577, 5, 16, RGBA}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        uint32_t state = 5;
        uint8_t *const raw = malloc(shapes[i].height * (png_row_bytes(shapes[i]) + 1));
        fill_rows(raw, shapes[i], NULL, &state);
        cr_expect_eq(compare_made(shapes[i], plain, raw),
                     shapes[i].width == 24577 ? ONLY_LIBPNG_READ : BOTH_READ, "%zu", i);
        free(raw);
    }
}

/* A palette or a transparency that is there twice is left to libpng. */
Test(png, one_of_each_chunk)
{
    static const uint8_t raw[] = {0, 1}, colors[] = {9, 9, 9, 7, 7, 7},
                         clear[2][2] = {{0, 5}, {0, 1}};
    for (int i = 0; i < 8; i++) {
        const bool palette = i & 4, palettes = palette && i & 1, keys = i & 2;
        made_png png = {0};
        size_t size = 0;
        uint8_t *const zlib = png_deflate(raw, sizeof raw, plain, &size);
        png_put_start(&png, (png_shape){1, 1, 8, palette ? PALETTE : GREY});
        for (int k = 0; k <= palettes && palette; k++)
            png_put_chunk(&png, "PLTE", colors, sizeof colors);
        for (int k = 0; k <= keys; k++) png_put_chunk(&png, "tRNS", clear[k], 2);
        png_put_idats(&png, zlib, size, 0);
        png_put_chunk(&png, "IEND", "", 0);
        const enum verdict verdict = png_compare_readers(png.bytes, png.size);
        cr_expect(palettes || keys ? verdict == ONLY_LIBPNG_READ || verdict == REFUSED
                                   : verdict == BOTH_READ,
                  "%d: %d", i, verdict);
        free(zlib);
        free(png.bytes);
    }
}

/* ---- Two threads ----------------------------------------------------------------------------- */

static bool no_threads;
static int threads_started;

int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument)
{
    if (no_threads) return EAGAIN;
    threads_started++;
    return __real_pthread_create(thread, attributes, run, argument);
}

/* Makes 301 rows, of three bands and more; `bad` is a row with a filter that does not exist. */
static enum verdict compare_bands(int bad, size_t missing)
{
    const png_shape shape = {301, 301, 8, RGB};
    const size_t row = png_row_bytes(shape) + 1, size = shape.height * row;
    uint8_t *const raw = malloc(size);
    uint32_t state = 6;
    fill_rows(raw, shape, NULL, &state);
    if (bad >= 0) raw[(size_t)bad * row] = 5;
    size_t zlib_size = 0;
    uint8_t *const zlib = png_deflate(raw, size, plain, &zlib_size);
    made_png png = {0};
    png_put_start(&png, shape);
    png_put_idats(&png, zlib, zlib_size - missing, 8192);
    png_put_chunk(&png, "IEND", "", 0);
    const enum verdict verdict = png_compare_readers(png.bytes, png.size);
    free(png.bytes);
    free(zlib);
    free(raw);
    return verdict;
}

Test(png, decodes_on_two_threads, .timeout = 60)
{
    threads_started = 0;
    cr_expect_eq(compare_bands(-1, 0), BOTH_READ);
    cr_expect_eq(threads_started, 1);
    no_threads = true;
    cr_expect_eq(compare_bands(-1, 0), BOTH_READ, "none can be started");
    cr_expect_eq(compare_bands(150, 0), REFUSED, "none can be started");
}

/* Either thread may be the first to meet what is wrong. */
Test(png, two_threads_end_with_what_is_wrong, .timeout = 60)
{
    for (int bad = 0; bad < 301; bad += 10) cr_expect_eq(compare_bands(bad, 0), REFUSED, "%d", bad);
    for (size_t missing = 1; missing < 200000; missing *= 3)
        cr_expect_eq(compare_bands(-1, missing), REFUSED, "%zu", missing);
}

/* ---- Bytes that are given back ----------------------------------------------------------------
 */

static file_name write_noise(bool damaged)
{
    const png_shape shape = {1024, 1000, 8, RGB};
    const size_t size = shape.height * (png_row_bytes(shape) + 1);
    uint8_t *const raw = malloc(size);
    uint32_t state = 7;
    fill_rows(raw, shape, NULL, &state);
    made_png png = {0};
    png_make(&png, shape, plain, raw);
    if (damaged) png.bytes[png.size - 17] ^= 1; /* Adler-32, before its CRC and IEND */
    png_repair_crcs(&png);
    const file_name path = scratch("noise.png");
    FILE *const file = fopen(path.text, "wb");
    cr_assert(file && fwrite(png.bytes, 1, png.size, file) == png.size && fclose(file) == 0);
    free(png.bytes);
    free(raw);
    return path;
}

enum change { KEPT, CUT, TOUCHED };

/* Changes a file between the header and the samples: its size, or nothing but the time of its last
 * change, by a nanosecond. */
static void change_file(const char *path, enum change change)
{
    struct stat info;
    if (change == CUT) cr_assert(truncate(path, 1 << 21) == 0);
    if (change != TOUCHED) return;
    cr_assert(stat(path, &info) == 0);
    info.st_mtim.tv_nsec ^= 1;
    cr_assert(utimensat(AT_FDCWD, path, (struct timespec[]){info.st_atim, info.st_mtim}, 0) == 0);
}

static ssimcu_status decode_early(const char *path, enum change change, ssimcu_message *message)
{
    ssimcu_image *image = NULL;
    cr_assert(ssimcu_image_open(path, NULL, &image, message) == SSIMCU_OK);
    ssimcu_image_release_early(image);
    change_file(path, change);
    ssimcu_frame frame = ssimcu_image_shape(image), whole = {0};
    allocate_frame(&frame);
    const ssimcu_status status = ssimcu_image_decode(image, &frame, message);
    cr_expect_str_eq(ssimcu_image_reader(image), status == SSIMCU_OK ? "igzip" : "libpng");
    if (status == SSIMCU_OK && read_image(path, NULL, &whole, NULL) == SSIMCU_OK)
        cr_expect(same_pixels(&frame, &whole));
    free(whole.data);
    free(frame.data);
    ssimcu_image_close(&image);
    return status;
}

Test(png, says_the_same_after_giving_bytes_back, .init = make_scratch, .fini = remove_scratch)
{
    ssimcu_message early = {0}, late = {0}, changed = {0};
    ssimcu_frame frame = {0};
    file_name path = write_noise(false);
    cr_expect(decode_early(path.text, KEPT, &early) == SSIMCU_OK);
    path = write_noise(true);
    cr_expect(decode_early(path.text, KEPT, &early) == SSIMCU_ERROR_DATA);
    cr_expect(read_image(path.text, NULL, &frame, &late) == SSIMCU_ERROR_DATA);
    cr_expect_str_eq(early.text, late.text);
    for (enum change change = TOUCHED; change >= CUT; change--) {
        cr_expect(decode_early(path.text, change, &changed) == SSIMCU_ERROR_FILE);
        expect_message(&changed, path.text, "was changed while it was read");
    }
}

Test(png, names_the_library)
{
    cr_expect(strstr(ssimcu_image_libraries(), ", igzip 2."), "%s", ssimcu_image_libraries());
}

/* ---- Files ----------------------------------------------------------------------------------- */

Test(png, reads_testdata_as_libpng)
{
    DIR *const directory = opendir(SSIMCU_TESTDATA);
    cr_assert(directory);
    int both = 0, seen = 0;
    for (const struct dirent *entry; (entry = readdir(directory));) {
        const char *const end = strrchr(entry->d_name, '.');
        if (!end || strcmp(end, ".png") != 0) continue;
        size_t size = 0;
        uint8_t *const bytes = read_file(testdata(entry->d_name).text, &size);
        const enum verdict verdict = png_compare_readers(bytes, size);
        cr_expect_neq(verdict, DIFFER, "%s", entry->d_name);
        both += verdict == BOTH_READ;
        seen++;
        free(bytes);
    }
    closedir(directory);
    cr_expect_gt(both, 30);
    cr_expect_gt(seen, 70);
}
