/* The source of a batch's pairs: which pairs a share has, which directory they are of, and where
 * the frames of a region lie. */
#include "check.h"
#include "engine/batch.h"
#include "pair/pair.h"
#include "pair/region.h"
#include "record/record.h"
#include "scratch.h"
#include "source/source.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WIDTH = 16, HEIGHT = 12, FRAMES = 8, FRAME_BYTES = WIDTH * HEIGHT * 3 / 2 };

/* Makes a.y4m, in which every sample of frame f is its place in the frame + f. */
static void make_directory(void)
{
    scratch_enter();
    FILE *file = fopen("a.y4m", "w");
    cr_assert_not_null(file);
    fprintf(file, "YUV4MPEG2 W%d H%d C420jpeg\n", WIDTH, HEIGHT);
    for (int f = 0; f < FRAMES; f++) {
        fputs("FRAME\n", file);
        for (int i = 0; i < FRAME_BYTES; i++) fputc((i + f) % 256, file);
    }
    cr_assert_eq(fclose(file), 0);
}

TestSuite(source, .init = make_directory, .fini = scratch_leave);

struct seen {
    char text[256];
    uint32_t x, y;
    ssimcu_frame plane[2][SSIMCU_MAX_PLANES];
    uint8_t corner[2][SSIMCU_MAX_PLANES]; /* first sample */
};

static bool take(void *user, struct record *record, bool known)
{
    struct seen *seen = user;
    cr_assert_not(known);
    snprintf(seen->text + strlen(seen->text), sizeof seen->text - strlen(seen->text), "%s%d%s%s",
             seen->text[0] ? " " : "", (int)record->frame, record->shot ? ":" : "",
             record->shot ? record->shot : "");
    return true;
}

static ssimcu_status look(void *user, ssimcu_context *lane, const struct pair *pair,
                          ssimcu_score *score, ssimcu_message *message)
{
    struct seen *seen = user;
    (void)lane, (void)message;
    seen->x = pair->x;
    seen->y = pair->y;
    memcpy(seen->plane, pair->plane, sizeof seen->plane);
    for (int side = 0; side < 2; side++)
        for (uint32_t p = 0; p < pair->planes; p++)
            seen->corner[side][p] = *(const uint8_t *)pair->plane[side][p].data;
    score->score = 1;
    return SSIMCU_OK;
}

static void run(struct source_input input, const char *expected, struct seen *seen)
{
    struct batch_config config = {.settings = {.struct_size = sizeof config.settings,
                                               .device = SSIMCU_DEVICE_CPU,
                                               .threads = 1},
                                  .score = look,
                                  .take = take,
                                  .user = seen};
    struct source *source;
    struct batch_times times;
    ssimcu_message why = {{0}};
    *seen = (struct seen){.x = 0};
    cr_assert_eq(source_open(&input, &source, &why), SSIMCU_OK, "%s", why.text);
    int64_t count = 0;
    for (const char *at = expected; *at; at++) count += at == expected || at[-1] == ' ';
    if (source_count(source) >= 0) cr_assert_eq(source_count(source), count, "%s", expected);
    cr_assert_eq(batch_run(&config, source, &times, &why), SSIMCU_OK, "%s", why.text);
    cr_assert_str_eq(seen->text, expected);
    source_close(source);
}

static struct source_input clips(uint32_t shard, uint32_t shards)
{
    return (struct source_input){.path = {"a.y4m", "a.y4m"}, .shard = shard, .shards = shards};
}

/* A share is every N-th pair of those that are asked for; a share without any is no error. */
Test(source, a_share_is_every_nth_pair)
{
    struct seen seen;
    ssimcu_ranges frames;
    run(clips(1, 3), "0 3 6", &seen);
    run(clips(2, 3), "1 4 7", &seen);
    run(clips(3, 3), "2 5", &seen);
    run(clips(9, 9), "", &seen);
    cr_assert_eq(ssimcu_ranges_parse("0-6x2", &frames, NULL), SSIMCU_OK);
    struct source_input input = clips(1, 2);
    input.frames = &frames;
    run(input, "0 4", &seen);
    input.shard = 2;
    run(input, "2 6", &seen);
    ssimcu_ranges_free(&frames);
    input = clips(2, 2);
    input.offset = -3;
    input.shortest = true;
    run(input, "4 6", &seen);
    cr_assert(seen.corner[0][0] == 6 && seen.corner[1][0] == 3);
    input.offset = 2;
    run(input, "1 3 5", &seen);
    cr_assert(seen.corner[0][0] == 5 && seen.corner[1][0] == 7);
}

Test(source, recursive_pairs_know_their_folder)
{
    struct seen seen;
    cr_assert(mkdir("r", 0777) == 0 && mkdir("r/s1", 0777) == 0 && mkdir("r/s2", 0777) == 0);
    cr_assert_eq(system("cp " SSIMCU_TESTDATA "/rgb8_a.png r/top.png; cp r/top.png r/s1/1.png; "
                        "cp r/top.png r/s2/1.png; cp r/top.png r/s2/2.png"),
                 0);
    struct source_input input = {.path = {"r", "r"}, .recursive = true, .shard = 1, .shards = 1};
    run(input, "0:. 1:s1 1:s2 2:s2", &seen);
    input.path[0] = "r/top.png";
    run(input, "0:. 1:s1 1:s2 2:s2", &seen);
    input.path[1] = "r/s2";
    input.recursive = false;
    run(input, "1 2", &seen);
}

/* The frames of a region lie in those of the file, no byte of which has moved. */
Test(source, a_region_lies_in_the_frame_of_the_file)
{
    struct seen seen;
    struct source_input input = clips(1, 1);
    input.region = (struct contract_region){8, 6, 4, 2};
    run(input, "0 1 2 3 4 5 6 7", &seen);
    cr_assert(seen.x == 4 && seen.y == 2);
    const uint32_t luma = 2 * WIDTH + 4, chroma = 1 * WIDTH / 2 + 2;
    const uint32_t start[] = {luma, WIDTH * HEIGHT + chroma, WIDTH * HEIGHT * 5 / 4 + chroma};
    for (int side = 0; side < 2; side++)
        for (uint32_t p = 0; p < 3; p++) {
            const uint32_t shot = p == 0 ? 1 : 2;
            const ssimcu_frame *plane = &seen.plane[side][p];
            cr_assert_eq(seen.corner[side][p], (start[p] + 7) % 256, "plane %u", p);
            cr_assert(plane->width == 8 / shot && plane->height == 6 / shot);
            cr_assert_eq(plane->pitch, WIDTH / shot);
        }
    ssimcu_frame frame = {.width = 9, .height = 5, .channels = 3, .bits = 16, .pitch = 64};
    uint8_t bytes[5 * 64];
    frame.data = bytes;
    region_cut(&(struct contract_region){2, 1, 7, 4}, &frame);
    cr_assert(frame.width == 2 && frame.height == 1);
    cr_assert_eq((uint8_t *)frame.data - bytes, 4 * 64 + 7 * 6);
    region_cut(&(struct contract_region){0}, &frame);
    cr_assert(frame.width == 2 && frame.height == 1, "no region is no cut");
}

/* Options that cannot go together, and regions on the edge and beyond it. */
Test(source, what_does_not_go_together_is_refused)
{
    static const struct {
        struct contract_region region;
        ssimcu_status status;
    } cases[] = {{{16, 12, 0, 0}, SSIMCU_OK},
                 {{2, 2, 14, 10}, SSIMCU_OK},
                 {{4, 2, 14, 10}, SSIMCU_ERROR_MISMATCH},
                 {{2, 4, 14, 10}, SSIMCU_ERROR_MISMATCH},
                 {{16777214, 2, 16777214, 0}, SSIMCU_ERROR_MISMATCH},
                 {{3, 2, 0, 0}, SSIMCU_ERROR_ARGUMENT},
                 {{2, 3, 0, 0}, SSIMCU_ERROR_ARGUMENT},
                 {{2, 2, 1, 0}, SSIMCU_ERROR_ARGUMENT},
                 {{2, 2, 0, 1}, SSIMCU_ERROR_ARGUMENT}};
    struct source *source;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct source_input input = clips(1, 1);
        input.region = cases[i].region;
        cr_assert_eq(source_open(&input, &source, NULL), cases[i].status, "case %zu", i);
        source_close(source);
    }
    struct source_input input = clips(1, 1);
    input.recursive = true;
    cr_assert_eq(source_open(&input, &source, NULL), SSIMCU_ERROR_ARGUMENT);
    cr_assert_null(source);
    input = (struct source_input){.path = {"a.y4m", "gone"}, .shard = 1, .shards = 1};
    cr_assert_eq(source_open(&input, &source, NULL), SSIMCU_ERROR_FILE);
    input = (struct source_input){.list = "a.y4m", .offset = 1, .shard = 1, .shards = 1};
    cr_assert_eq(source_open(&input, &source, NULL), SSIMCU_ERROR_ARGUMENT);
}

/* ---- Memory ---- */

enum { SIDE = 512, LARGE_BYTES = SIDE * SIDE * 3 }; /* noise: a file is larger */
static atomic_int large_pieces;

void *__real_malloc(size_t size), *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size)
{
    large_pieces += size >= LARGE_BYTES;
    return __real_malloc(size);
}

/* A compiler makes malloc of a realloc whose memory is NULL, or does not. */
void *__real_realloc(void *memory, size_t size), *__wrap_realloc(void *memory, size_t size);
void *__wrap_realloc(void *memory, size_t size)
{
    large_pieces += size >= LARGE_BYTES;
    return __real_realloc(memory, size);
}

static bool take_none(void *user, struct record *record, bool known)
{
    (void)user, (void)known;
    return record->status == SSIMCU_OK;
}

/* The system would clear the memory of a file's bytes for every file. */
Test(source, files_have_the_memory_of_those_before)
{
    enum { COUNT = 20 };
    check_random random = {1};
    ssimcu_frame frame = check_noise(&random, SIDE, SIDE, 3, 8);
    cr_assert(mkdir("ref", 0777) == 0);
    for (int n = 0; n < COUNT; n++) {
        char path[32];
        snprintf(path, sizeof path, "ref/f.%04d.png", n);
        cr_assert_eq(ssimcu_image_write_png(path, &frame, NULL), SSIMCU_OK);
    }
    ssimcu_frame_free(&frame);
    const struct source_input input = {.path = {"ref", "ref"}, .shard = 1, .shards = 1};
    struct batch_config config = {.settings = SSIMCU_INIT(settings), .take = take_none};
    config.settings.device = SSIMCU_DEVICE_CPU;
    for (uint32_t threads = 1; threads <= 2; threads++) {
        struct source *source;
        struct batch_times times;
        ssimcu_message why = {{0}};
        config.settings.threads = threads;
        large_pieces = 0;
        cr_assert_eq(source_open(&input, &source, &why), SSIMCU_OK, "%s", why.text);
        cr_assert_eq(batch_run(&config, source, &times, &why), SSIMCU_OK, "%s", why.text);
        cr_expect(large_pieces >= 1 && large_pieces <= 2 * (int)threads, "%u threads: %d", threads,
                  (int)large_pieces);
        source_close(source);
    }
}
