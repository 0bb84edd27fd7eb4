/* The pictures of a report: their files, their sizes, where the tile lies in them, and what
 * happens if a frame is gone. Any number of threads makes the same bytes. */
#include "report/frames/pictures.h"

#include "image/write_jpeg.h"

#include "check.h"
#include "scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FRAMES = 5, WIDTH = 1600, HEIGHT = 200, BAD_X = 1228, BAD_Y = 76, BAD = 40 };

static const ssimcu_tile tile = {0.5, 1216, 64, 64, 64};

/* Makes a soft picture, with a bad square in `out`. */
static ssimcu_frame make_frame(bool out)
{
    ssimcu_frame frame = check_frame(WIDTH, HEIGHT, 3, 8);
    for (uint32_t y = 0; y < HEIGHT; y++)
        for (uint32_t x = 0; x < WIDTH; x++) {
            const bool bad = out && x - BAD_X < BAD && y - BAD_Y < BAD;
            for (uint32_t c = 0; c < 3; c++)
                check_set_sample(&frame, x, y, c,
                                 bad ? (x * 7 + y * 13) % 256
                                     : 40 + (x / 8 + y / 4 + 30 * c) % 128);
        }
    return frame;
}

static void write_frames(const char *side, bool out)
{
    ssimcu_frame frame = make_frame(out);
    cr_assert_eq(mkdir(side, 0777), 0);
    for (int n = 0; n < FRAMES; n++) {
        char path[32];
        snprintf(path, sizeof path, "%s/f.%04d.png", side, n + 1);
        cr_assert_eq(ssimcu_image_write_png(path, &frame, NULL), SSIMCU_OK);
    }
    ssimcu_frame_free(&frame);
}

static void make_directory(void)
{
    scratch_enter();
    cr_assert(mkdir("page", 0777) == 0);
    write_frames("ref", false);
    write_frames("out", true);
}

TestSuite(pictures, .init = make_directory, .fini = scratch_leave);

static const struct source_input sequences = {.path = {"ref", "out"}, .shard = 1, .shards = 1};

static ssimcu_status make(const struct source_input *input, uint32_t threads, const char *folder,
                          struct picture *picture, size_t count, ssimcu_message *message)
{
    const ssimcu_settings settings = {
        .struct_size = sizeof settings, .device = SSIMCU_DEVICE_CPU, .threads = threads};
    const struct pictures_config config = {
        .directory = folder, .input = input, .settings = &settings};
    return pictures_make(&config, picture, count, message);
}

static void make_all(const struct source_input *input, uint32_t threads, const char *folder,
                     struct picture *picture, size_t count)
{
    ssimcu_message why = {{0}};
    cr_assert_eq(make(input, threads, folder, picture, count, &why), SSIMCU_OK, "%s", why.text);
}

static ssimcu_frame read_file(const struct picture_file *file)
{
    char path[64];
    ssimcu_frame frame;
    ssimcu_message why = {{0}};
    snprintf(path, sizeof path, "page/%s", file->name);
    cr_assert_eq(ssimcu_image_read(path, NULL, &frame, &why), SSIMCU_OK, "%s", why.text);
    cr_assert(frame.width == file->width && frame.height == file->height, "%s", file->name);
    return frame;
}

static size_t count_files(const char *folder)
{
    size_t count = 0;
    DIR *list = opendir(folder);
    cr_assert_not_null(list);
    for (const struct dirent *entry; (entry = readdir(list)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(list);
    return count;
}

/* ---- What is made ---------------------------------------------------------------------------- */

static uint32_t brightness(const ssimcu_frame *frame, uint32_t x, uint32_t y)
{
    return check_sample(frame, x, y, 0) + check_sample(frame, x, y, 1) +
           check_sample(frame, x, y, 2);
}

/* Checks that the brightest pixel lies in the box, whose mean is far above that outside. */
static void check_heat(const struct picture_file *file)
{
    const struct picture_box *box = &file->box;
    ssimcu_frame heat = read_file(file);
    double sum[2] = {0, 0}, count[2] = {0, 0};
    uint32_t most = 0, at_x = 0, at_y = 0;
    for (uint32_t y = 0; y < heat.height; y++)
        for (uint32_t x = 0; x < heat.width; x++) {
            const bool in =
                x >= box->x && x < box->x + box->width && y >= box->y && y < box->y + box->height;
            const uint32_t level = brightness(&heat, x, y);
            sum[in] += level;
            count[in]++;
            if (level > most) most = level, at_x = x, at_y = y;
        }
    cr_assert(at_x >= box->x && at_x < box->x + box->width && at_y >= box->y &&
                  at_y < box->y + box->height,
              "%s: brightest at %u,%u", file->name, at_x, at_y);
    cr_assert_gt(sum[1] / count[1], 1.2 * sum[0] / count[0], "%s", file->name);
    ssimcu_frame_free(&heat);
}

Test(pictures, whole_crop_and_thumbnail)
{
    struct picture picture[2] = {{.frame = 2, .tile = tile, .views = true, .thumbnail = true},
                                 {.frame = 5, .thumbnail = true}};
    make_all(&sequences, 2, "page", picture, 2);
    const struct picture *large = &picture[0], *small = &picture[1];
    cr_assert_str_eq(large->why, "");
    cr_assert_str_eq(small->why, "");
    for (int view = 0; view < PICTURE_VIEWS; view++) {
        cr_assert(large->whole[view].width == 1280 && large->whole[view].height == 160);
        cr_assert(large->crop[view].width == 176 && large->crop[view].height == 176);
        ssimcu_frame frame = read_file(&large->whole[view]);
        ssimcu_frame_free(&frame);
        cr_assert_str_eq(small->whole[view].name, "");
        cr_assert_str_eq(small->crop[view].name, "");
    }
    cr_assert_eq(count_files("page"), 10);
    cr_assert(small->small.width == 160 && small->small.height == 20);
    for (int i = 0; i < 2; i++) { /* of OUT: REF has 84 where OUT has a mean of 127 */
        ssimcu_frame frame = read_file(&picture[i].small);
        cr_expect_gt(check_sample(&frame, 124, 9, 0), 100, "%s", picture[i].small.name);
        ssimcu_frame_free(&frame);
    }
    check_near(large->whole[PICTURE_OUT].box.x, 1216 * 0.8, 1e-9, "box");
    check_near(large->whole[PICTURE_OUT].box.y, 64 * 0.8, 1e-9, "box");
    check_near(large->whole[PICTURE_OUT].box.width, 64 * 0.8, 1e-9, "box");
    check_near(large->crop[PICTURE_OUT].box.x, 56, 1e-9, "box in the crop");
    check_near(large->crop[PICTURE_OUT].box.width, 64, 1e-9, "box in the crop");
    check_heat(&large->whole[PICTURE_HEAT]);
    check_heat(&large->crop[PICTURE_HEAT]);
    cr_assert_lt(large->low, 0.5);
    check_near(large->high, 1, 1e-6, "the best");
    cr_assert(large->score < 1 && large->score > 0.9);
}

/* The crop holds the pixels of the frame as they are. */
Test(pictures, crop_is_the_frame_itself)
{
    struct picture picture = {.frame = 1, .tile = tile, .views = true};
    make_all(&sequences, 1, "page", &picture, 1);
    ssimcu_frame crop = read_file(&picture.crop[PICTURE_REF]), frame = make_frame(false);
    const uint32_t left = tile.x - 56, top = tile.y - 56;
    double off = 0;
    for (uint32_t y = 0; y < crop.height; y++)
        for (uint32_t x = 0; x < crop.width; x++)
            off += check_sample(&crop, x, y, 1) != check_sample(&frame, left + x, top + y, 1);
    cr_assert_eq(off, 0, "%g", off);
    ssimcu_frame_free(&crop);
    ssimcu_frame_free(&frame);
}

/* Tiles at the edges, larger than a crop, smaller than the least, and one of another frame. */
Test(pictures, tiles_of_every_kind)
{
    static const struct {
        ssimcu_tile tile;
        uint32_t width, height;
        struct picture_box box;
    } cases[] = {
        {{0, 0, 0, 64, 64}, 176, 176, {0, 0, 64, 64}},
        {{0, 1536, 128, 64, 64}, 176, 176, {112, 104, 64, 64}},
        {{0, 1595, 192, 5, 8}, 176, 176, {171, 168, 5, 8}},
        {{0, 512, 0, 512, 200}, 384, 200, {0, 0, 0, 0}},
        {{0, 0, 0, 1600, 200}, 384, 200, {0, 0, 0, 0}},
        {{0, 1600, 0, 64, 64}, 0, 0, {0, 0, 0, 0}},
        {{0, 1590, 0, 64, 64}, 0, 0, {0, 0, 0, 0}},
        {{0, UINT32_MAX, UINT32_MAX, UINT32_MAX, 1}, 0, 0, {0, 0, 0, 0}},
        {{.width = 0}, 0, 0, {0, 0, 0, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct picture picture = {.frame = 1, .tile = cases[i].tile, .views = true};
        cr_assert_eq(system("rm -f page/*"), 0);
        make_all(&sequences, 1, "page", &picture, 1);
        const struct picture_box *box = &picture.crop[0].box, *expected = &cases[i].box;
        cr_assert(picture.crop[0].width == cases[i].width &&
                      picture.crop[0].height == cases[i].height,
                  "case %zu: %ux%u", i, picture.crop[0].width, picture.crop[0].height);
        check_near(box->x, expected->x, 1e-6, "case %zu x", i);
        check_near(box->y, expected->y, 1e-6, "case %zu y", i);
        check_near(box->width, expected->width, 1e-6, "case %zu width", i);
        check_near(box->height, expected->height, 1e-6, "case %zu height", i);
        cr_assert_eq(count_files("page"), cases[i].width ? 8 : 4);
    }
}

/* Video and a region have pictures too, by the CPU whatever decodes for the scores. Tiles count
 * from the frame's corner, not from the region's. */
Test(pictures, video_and_region)
{
    enum { W = 320, H = 160 };
    for (int side = 0; side < 2; side++) {
        FILE *file = fopen(side ? "b.y4m" : "a.y4m", "w");
        fprintf(file, "YUV4MPEG2 W%d H%d C420p10\n", W, H);
        for (int n = 0; n < 3; n++) {
            fputs("FRAME\n", file);
            for (int i = 0; i < W * H * 3 / 2; i++) {
                const int x = i % W, y = i / W;
                const bool bad = side && n == 1 && x >= 200 && x < 220 && y >= 100 && y < 120;
                const int value = i < W * H ? (bad ? x * y * 77 % 1024 : 200 + x + y) : 512;
                fputc(value & 255, file);
                fputc(value >> 8, file);
            }
        }
        cr_assert_eq(fclose(file), 0);
    }
    const struct source_input input = {.path = {"a.y4m", "b.y4m"},
                                       .region = {256, 128, 64, 32},
                                       .decode = SSIMCU_DECODE_CUDA,
                                       .shard = 2,
                                       .shards = 3};
    struct picture picture = {
        .frame = 1, .tile = {0, 192, 96, 64, 64}, .views = true, .thumbnail = true};
    make_all(&input, 2, "page", &picture, 1);
    cr_assert_str_eq(picture.why, "");
    cr_assert(picture.whole[0].width == 256 && picture.whole[0].height == 128);
    check_near(picture.whole[PICTURE_OUT].box.x, 128, 1e-9, "box");
    check_near(picture.whole[PICTURE_OUT].box.y, 64, 1e-9, "box");
    check_heat(&picture.whole[PICTURE_HEAT]);
    check_heat(&picture.crop[PICTURE_HEAT]);
    ssimcu_frame ref = read_file(&picture.whole[PICTURE_REF]);
    const int level = (int)check_sample(&ref, 100, 60, 1), luma = 200 + 164 + 92;
    cr_assert(abs(level - (luma - 64) * 255 / 876) <= 3, "%d", level);
    ssimcu_frame_free(&ref);
}

Test(pictures, a_pair_makes_eight_files)
{
    const struct source_input input = {
        .path = {"ref/f.0001.png", "out/f.0001.png"}, .shard = 1, .shards = 1};
    struct picture picture = {.frame = 0, .tile = tile, .views = true};
    make_all(&input, 1, "page", &picture, 1);
    cr_assert_str_eq(picture.why, "");
    cr_assert_eq(count_files("page"), 8);
}

Test(pictures, threads_make_the_same_bytes)
{
    cr_assert(mkdir("one", 0777) == 0 && mkdir("four", 0777) == 0);
    for (int run = 0; run < 2; run++) {
        struct picture picture[FRAMES];
        for (int n = 0; n < FRAMES; n++)
            picture[n] = (struct picture){
                .frame = n + 1, .tile = tile, .views = n % 2 == 0, .thumbnail = true};
        make_all(&sequences, run ? 4 : 1, run ? "four" : "one", picture, FRAMES);
    }
    cr_assert_eq(count_files("four"), 3 * 8 + 5);
    cr_assert_eq(system("diff -r one four"), 0);
}

/* Nothing stays in memory, be there a tile or none. A sanitizer's memory is its own. */
Test(pictures, nothing_stays_in_memory)
{
    enum { FIRST = 2, RUNS = 2, LEAST = 32 /* bytes of the smallest allocation */ };
    size_t before = 0, now = 0;
    mallopt(M_ARENA_MAX, 1); /* only that of the program is counted */
    for (int k = 0; k < FIRST + RUNS; k++) {
        struct picture picture[2] = {
            {.frame = 1, .tile = tile, .views = true, .thumbnail = true},
            {.frame = 2, .thumbnail = true},
        };
        make_all(&sequences, 2, "page", picture, 2);
        cr_assert(system("rm page/*") == 0);
        now = mallinfo2().uordblks + mallinfo2().hblkhd;
        if (k < FIRST) before = now; /* the allocator keeps a few for later */
    }
    cr_expect_lt(now, before + RUNS * LEAST, "%zu bytes, before %zu", now, before);
}

/* More pictures are smaller: a page must not outgrow what a browser takes. */
Test(pictures, many_are_smaller)
{
    struct picture picture[40] = {{0}};
    for (int n = 0; n < 40; n++) picture[n] = (struct picture){.frame = n + 1, .views = true};
    make_all(&sequences, 2, "page", picture, 40);
    cr_assert_eq(picture[0].whole[0].width, 608);
    cr_assert_str_eq(picture[FRAMES].why, "REF and OUT are missing");
}

/* ---- What cannot be made --------------------------------------------------------------------- */

Test(pictures, frames_that_are_gone)
{
    struct picture picture[4];
    for (int n = 0; n < 4; n++)
        picture[n] =
            (struct picture){.frame = n + 1, .tile = tile, .views = true, .thumbnail = true};
    cr_assert(unlink("out/f.0002.png") == 0 && truncate("ref/f.0003.png", 300) == 0);
    ssimcu_frame frame = check_frame(64, 48, 3, 8);
    memset(frame.data, 9, frame.pitch * 48);
    for (int side = 0; side < 2; side++)
        cr_assert_eq(
            ssimcu_image_write_png(side ? "out/f.0004.png" : "ref/f.0004.png", &frame, NULL),
            SSIMCU_OK);
    ssimcu_frame_free(&frame);
    make_all(&sequences, 2, "page", picture, 4);
    cr_assert_str_eq(picture[0].why, "");
    cr_assert_str_eq(picture[1].why, "OUT is missing");
    cr_assert_not_null(strstr(picture[2].why, "f.0003.png: "), "%s", picture[2].why);
    cr_assert_str_eq(picture[3].why, "");
    cr_assert_str_eq(picture[2].small.name, "");
    cr_assert_str_eq(picture[3].crop[0].name, "", "the tile is outside the frame of now");
    cr_assert_eq(count_files("page"), 9 + 5);
}

Test(pictures, inputs_that_cannot_be_opened_again)
{
    static const struct {
        struct source_input input;
        const char *why;
    } cases[] = {{{.path = {"-", "b.y4m"}, .shard = 1, .shards = 1}, "REF is a pipe"},
                 {{.path = {"ref", "fifo"}, .shard = 1, .shards = 1}, "OUT is a pipe"},
                 {{.list = "-", .shard = 1, .shards = 1}, "list is a pipe"},
                 {{.path = {"gone", "gone"}, .shard = 1, .shards = 1}, "are missing"},
                 {{.path = {"ref", "empty"}, .shard = 1, .shards = 1}, "empty"}};
    cr_assert(mkfifo("fifo", 0666) == 0 && mkdir("empty", 0777) == 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct picture picture = {.frame = 0, .views = true};
        make_all(&cases[i].input, 1, "page", &picture, 1);
        cr_assert_not_null(strstr(picture.why, cases[i].why), "case %zu: %s", i, picture.why);
    }
    cr_assert_eq(count_files("page"), 0);
}

Test(pictures, files_that_cannot_be_written)
{
    struct picture picture = {.frame = 1, .views = true};
    CHECK_FAILS(make(&sequences, 1, "nowhere", &picture, 1, &message), SSIMCU_ERROR_WRITE,
                "nowhere/frame-000001-ref.jpg");
    cr_assert_geq(creat("page/frame-000001-heat.jpg", 0666), 0);
    picture = (struct picture){.frame = 1, .views = true};
    CHECK_FAILS(make(&sequences, 1, "page", &picture, 1, &message), SSIMCU_ERROR_WRITE, "heat");
    cr_assert_str_eq(picture.whole[0].name, "");
    ssimcu_frame grey = check_frame(8, 8, 2, 8);
    CHECK_FAILS(ssimcu_image_write_jpeg("page/x.jpg", &grey, 85, &message), SSIMCU_ERROR_ARGUMENT,
                "2 channels");
    grey.channels = 1;
    grey.width = 70000; /* more than JPEG can have */
    CHECK_FAILS(ssimcu_image_write_jpeg("page/x.jpg", &grey, 85, &message), SSIMCU_ERROR_ARGUMENT,
                "cannot be a JPEG");
    ssimcu_frame_free(&grey);
}

/* The n-th allocation fails, on whatever thread. */
static atomic_int allocations_left = -1;

void *__real_malloc(size_t size), *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size)
{
    if (allocations_left < 0 || allocations_left-- != 0) return __real_malloc(size);
    errno = ENOMEM;
    return NULL;
}

/* A page must not show files that are not there. */
Test(pictures, a_lost_allocation_loses_no_picture_in_silence)
{
    bool lost = true;
    for (int n = 0; lost; n++) {
        struct picture picture = {.frame = 1, .tile = tile, .views = true, .thumbnail = true};
        ssimcu_message why = {{0}};
        allocations_left = n;
        const ssimcu_status status = make(&sequences, 1, "page", &picture, 1, &why);
        lost = allocations_left < 0;
        allocations_left = -1;
        if (status == SSIMCU_OK && !picture.why[0])
            cr_expect_eq(count_files("page"), 9, "allocation %d", n);
        else
            cr_expect(strstr(why.text, "memory") || strstr(picture.why, "memory"), "%d: %s %s", n,
                      why.text, picture.why);
        cr_assert(system("rm -f page/*") == 0);
    }
}

static bool stop_at_2(void *user, size_t done, size_t count)
{
    size_t *last = user;
    cr_assert(done == *last + 1 && count == FRAMES);
    *last = done;
    return done < 2;
}

/* One CPU thread makes pictures one after the other; beside a GPU it would run ahead. */
Test(pictures, progress_can_stop)
{
    const ssimcu_settings settings = {
        .struct_size = sizeof settings, .device = SSIMCU_DEVICE_CPU, .threads = 1};
    struct picture picture[FRAMES] = {{0}};
    size_t last = 0;
    const struct pictures_config config = {.directory = "page",
                                           .input = &sequences,
                                           .settings = &settings,
                                           .progress = stop_at_2,
                                           .user = &last};
    for (int n = 0; n < FRAMES; n++)
        picture[n] = (struct picture){.frame = n + 1, .thumbnail = true};
    cr_assert_eq(pictures_make(&config, picture, FRAMES, NULL), SSIMCU_OK);
    cr_assert_eq(last, 2);
    cr_assert_str_neq(picture[FRAMES - 1].why, "");
}

Test(pictures, legend_goes_from_worst_to_best)
{
    uint8_t rgb[5][3];
    pictures_legend(rgb, 5);
    for (int i = 1; i < 5; i++)
        cr_assert_lt(rgb[i][0] + 2 * rgb[i][1] + rgb[i][2],
                     rgb[i - 1][0] + 2 * rgb[i - 1][1] + rgb[i - 1][2]);
    cr_assert(rgb[4][0] == 0 && rgb[4][1] == 0);
}
