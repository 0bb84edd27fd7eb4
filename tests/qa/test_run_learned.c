/* A run whose limits have learned limits: every frame is judged by its own, wherever it is scored.
 */
#include "ssimcu_qa.h"

#include "check.h"
#include "learned/learn.h"
#include "learned/learned_file.h"
#include "learned/values.h"
#include "limits/reference.h"
#include "record/record.h"
#include "scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WIDTH = 96, HEIGHT = 64, TILE = 24, RUNS = 5, FRAMES = 2, MOST = 3 };

/* A frame of 4:2:0. */
struct yuv {
    uint8_t y[HEIGHT * WIDTH], u[HEIGHT * WIDTH / 4], v[HEIGHT * WIDTH / 4];
};

static void add_noise(check_random *random, uint8_t *to, size_t count)
{
    for (size_t i = 0; i < count; i++) to[i] += (uint8_t)check_between(random, 0, 8);
}

/* Makes a frame: the same picture for a number, with the noise of a seed; 0: without. */
static struct yuv make(int number, uint32_t seed)
{
    struct yuv yuv;
    check_random random = {seed * 16 + (uint32_t)number};
    for (int i = 0; i < HEIGHT * WIDTH; i++)
        yuv.y[i] = (uint8_t)(60 + (i % WIDTH * 7 + i / WIDTH * 5 + number * 9) % 70);
    for (int i = 0; i < HEIGHT * WIDTH / 4; i++)
        yuv.u[i] = (uint8_t)(100 + i % 31), yuv.v[i] = (uint8_t)(90 + i % 37);
    if (seed == 0) return yuv;
    add_noise(&random, yuv.y, sizeof yuv.y);
    add_noise(&random, yuv.u, sizeof yuv.u);
    add_noise(&random, yuv.v, sizeof yuv.v);
    return yuv;
}

/* Writes a video. Sample `dead` of V in frame 1 is black; 0: none. */
static void write_video(const char *name, uint32_t seed, int frames, int dead)
{
    FILE *to = fopen(name, "w");
    cr_assert(to);
    fprintf(to, "YUV4MPEG2 W%d H%d F25:1 C420jpeg\n", WIDTH, HEIGHT);
    for (int i = 0; i < frames; i++) {
        struct yuv yuv = make(i, seed);
        if (i == 1 && dead > 0) yuv.v[dead] = 0;
        fprintf(to, "FRAME\n");
        cr_assert_eq(fwrite(&yuv, sizeof yuv, 1, to), 1u);
    }
    cr_assert_eq(fclose(to), 0);
}

/* Writes two videos of one frame that is smaller. */
static void make_small(const char *ref, const char *out)
{
    const struct yuv yuv = make(0, 0);
    const char *const name[] = {ref, out};
    for (int i = 0; i < 2; i++) {
        FILE *to = fopen(name[i], "w");
        cr_assert(to);
        fprintf(to, "YUV4MPEG2 W64 H48 F25:1 C420jpeg\nFRAME\n");
        cr_assert_eq(fwrite(&yuv, 64 * 48 * 3 / 2, 1, to), 1u);
        cr_assert_eq(fclose(to), 0);
    }
}

static void make_views(const struct yuv *yuv, ssimcu_view view[3])
{
    for (int p = 0; p < 3; p++)
        view[p] = SSIMCU_INIT(view, .width = p ? WIDTH / 2 : WIDTH,
                              .height = p ? HEIGHT / 2 : HEIGHT, .channels = 1,
                              .data = {p == 0   ? yuv->y
                                       : p == 1 ? yuv->u
                                                : yuv->v});
}

/* Returns the values of a frame's tiles. */
static struct learned_values measure(ssimcu_context *context, const struct yuv *ref,
                                     const struct yuv *out)
{
    ssimcu_view view[2][3];
    struct learned_tiles tiles;
    struct learned_values values;
    ssimcu_score score = SSIMCU_INIT(score);
    make_views(ref, view[0]);
    make_views(out, view[1]);
    cr_assert_eq(learned_tiles_make(context, view[0], view[1], 3, TILE, false, &tiles, NULL),
                 SSIMCU_OK);
    cr_assert_eq(ssimcu_compare_planes(context, view[0], view[1], 3, &score, tiles.tiles, NULL),
                 SSIMCU_OK);
    cr_assert(learned_values_make(&tiles, score.channels, &values));
    learned_tiles_free(&tiles);
    return values;
}

/* Learns the learned limits of the first frames from the seeds 1 to RUNS, and fills in their
 * fingerprint.
 */
static void write_learned(ssimcu_context *context, char print[LEARNED_PRINT])
{
    struct learned_writer *writer = NULL;
    cr_assert_eq(learned_writer_open("l.learned", &writer, NULL), SSIMCU_OK);
    for (int f = 0; f < FRAMES; f++) {
        struct learn_sample sample[RUNS] = {{.left_out = false}};
        struct learned_frame learned;
        const struct yuv ref = make(f, 0);
        for (uint32_t i = 0; i < RUNS; i++) {
            const struct yuv run = make(f, 1 + i);
            sample[i].values = measure(context, &ref, &run);
        }
        cr_assert(learn_statistics(sample, RUNS, &learned));
        cr_assert_eq(learned_writer_add(writer, NULL, f, &learned, NULL), SSIMCU_OK);
        learned_frame_free(&learned);
        for (int i = 0; i < RUNS; i++) learned_values_free(&sample[i].values);
    }
    cr_assert_eq(learned_writer_end(writer, NULL), SSIMCU_OK);
    learned_writer_print(writer, print);
    learned_writer_close(writer);
}

static ssimcu_context *open_context(void)
{
    ssimcu_settings settings = SSIMCU_INIT(settings, .device = SSIMCU_DEVICE_CPU);
    ssimcu_context *context = NULL;
    cr_assert_eq(ssimcu_open(&settings, &context, NULL), SSIMCU_OK);
    return context;
}

static void make_files(void)
{
    scratch_enter();
    char print[LEARNED_PRINT];
    ssimcu_context *context = open_context();
    write_learned(context, print);
    ssimcu_close(&context);
    FILE *to = fopen("l.json", "w");
    cr_assert(to);
    fprintf(
        to,
        "{\"ssimcu_limits\": 1, \"learned\": {\"file\": \"l.learned\", "
        "\"fingerprint\": \"%s\", \"tile\": %d, "
        "\"contract\": {\"metric\": \"ssim\", \"window\": \"gaussian 11x11 sigma 1.5\", "
        "\"k1\": 0.01, \"k2\": 0.03, \"pad\": \"valid\", \"planes\": \"as stored\", "
        "\"weights\": \"area\", \"downsampled\": false, \"tile\": %d}, \"shots\": "
        "[{\"match\": \"*\", \"max_excess\": {\"score\": 15, \"level_shift\": 15, \"bright\": 15, "
        "\"dark\": 15}}]}}",
        print, TILE, TILE);
    cr_assert_eq(fclose(to), 0);
    write_video("ref.y4m", 0, MOST, 0);
    write_video("good.y4m", RUNS + 1, FRAMES, 0);
    write_video("dead.y4m", RUNS + 1, FRAMES, 11 * WIDTH / 2 + 41);
    write_video("long.y4m", RUNS + 1, MOST, 0);
}

TestSuite(run_learned, .init = make_files, .fini = scratch_leave, .timeout = 60);

/* What a run said of each frame. */
struct said {
    ssimcu_record record[MOST];
    int records;
    ssimcu_message why;
};

static ssimcu_status on_record(void *user, const ssimcu_record *record)
{
    struct said *said = user;
    if (said->records < MOST) said->record[said->records++] = *record;
    if (record->message[0]) snprintf(said->why.text, sizeof said->why.text, "%s", record->message);
    return SSIMCU_OK;
}

static struct said run(ssimcu_run_options options, const char *out, ssimcu_exit code)
{
    struct said said = {.records = 0};
    const ssimcu_run_hooks hooks = SSIMCU_INIT(run_hooks, .user = &said, .record = on_record);
    ssimcu_run *run = NULL;
    options.ref = "ref.y4m", options.out = &out, options.outs = 1;
    options.missing = SSIMCU_MISSING_END;
    options.limits_file = "l.json", options.device = SSIMCU_DEVICE_CPU;
    cr_assert_eq(ssimcu_run_open(&options, &run, &said.why), SSIMCU_OK, "%s", said.why.text);
    (void)!ssimcu_run_score(run, &hooks, &said.why);
    cr_assert_eq(ssimcu_run_exit_code(run), code, "%s: %d %s", out, (int)ssimcu_run_exit_code(run),
                 said.why.text);
    ssimcu_run_close(&run);
    return said;
}

/* Every record has the numbers that its tiles and learned limits give, to the bit. */
static void expect_judged(const struct said *said, int dead)
{
    ssimcu_context *context = open_context();
    struct learned_file *file = NULL;
    cr_assert_eq(learned_file_open("l.learned", &file, NULL), SSIMCU_OK);
    for (int f = 0; f < FRAMES; f++) {
        const struct yuv ref = make(f, 0);
        struct yuv out = make(f, RUNS + 1);
        if (f == 1 && dead > 0) out.v[dead] = 0;
        struct learned_values values = measure(context, &ref, &out);
        struct learned_frame learned;
        struct learned_excess excess;
        cr_assert_eq(learned_file_find(file, NULL, f, &learned, NULL), SSIMCU_OK);
        learned_judge(&learned, &values, NULL, &excess);
        cr_assert(said->record[f].learned.known);
        for (int r = 0; r < LEARNED_RULES; r++)
            cr_assert_eq(said->record[f].learned.excess[r], excess.z[r], "%d: %s", f,
                         learned_rule_names[r]);
        learned_frame_free(&learned);
        learned_values_free(&values);
    }
    learned_file_close(file);
    ssimcu_close(&context);
}

Test(run_learned, frames_are_judged_by_their_learned)
{
    const ssimcu_run_options options = SSIMCU_INIT(run_options);
    struct said said = run(options, "good.y4m", SSIMCU_EXIT_SCORED);
    cr_assert_eq(said.records, FRAMES);
    expect_judged(&said, 0);
    said = run(options, "dead.y4m", SSIMCU_EXIT_BELOW);
    expect_judged(&said, 11 * WIDTH / 2 + 41);
    const ssimcu_learned_excess *learned = &said.record[1].learned;
    cr_assert_str_eq(learned->worst, "dark");
    cr_assert(learned->stale == 0, "the file names no reference");
    cr_assert(learned->channel == 2 && learned->width == TILE && learned->height <= TILE);
    cr_assert(learned->x <= 80 && learned->x + learned->width > 70); /* beside the edge of a tile */
    cr_assert(said.record[0].learned.excess[LEARNED_DARK] < 15 &&
              learned->excess[LEARNED_DARK] > 15);
}

/* A frame that has no learned limits fails the run, and so do frames of another size. */
Test(run_learned, what_is_not_judged_does_not_pass)
{
    ssimcu_run_options options = SSIMCU_INIT(run_options);
    struct said said = run(options, "long.y4m", SSIMCU_EXIT_BELOW);
    cr_assert(said.records == MOST && said.record[1].learned.known &&
              !said.record[2].learned.known);
    make_small("ref.y4m", "good.y4m");
    said = run(options, "good.y4m", SSIMCU_EXIT_INPUT);
    cr_assert(said.records == 1 && said.record[0].kind == SSIMCU_RECORD_FAILED);
    cr_assert(strstr(said.why.text,
                     "not judged: its learned limits are for 96 x 64 pixels (channels 3, tile "
                     "24), the frame has 64 x 48 (channels 3, tile 24)"));
}

/* Learned limits of other scores judge nothing: the run ends before the first frame. */
Test(run_learned, scores_are_those_of_the_learned)
{
    ssimcu_run_options options = SSIMCU_INIT(run_options);
    options.region.width = 64, options.region.height = 48;
    struct said said = run(options, "good.y4m", SSIMCU_EXIT_MISMATCH);
    cr_assert(said.records == 0);
    cr_assert_str_eq(said.why.text,
                     "l.json: learned: contract: region is none, but for this run it is "
                     "\"64x48+0+0\": score as calibrate did, or calibrate again");
    options.region.width = options.region.height = 0;
    options.pad = SSIMCU_PAD_ZERO;
    said = run(options, "good.y4m", SSIMCU_EXIT_MISMATCH);
    cr_assert(strstr(said.why.text, ": pad is \"valid\", but for this run it is \"zero\": "));
}

/* The tiles are those of the learned limits. */
Test(run_learned, tiles_are_those_of_the_learned)
{
    ssimcu_run_options options = SSIMCU_INIT(run_options);
    options.tile = TILE;
    (void)run(options, "good.y4m", SSIMCU_EXIT_SCORED);
    options.tile = 64;
    const struct said said = run(options, "good.y4m", SSIMCU_EXIT_USAGE);
    cr_assert_str_eq(said.why.text,
                     "--tile 64: the learned limits of l.json have tiles of 24 pixels");
}

/* Writes a file whose byte `at` is another; negative: none. It was changed at `seconds`. */
static void write_bytes(long bytes, long at, long seconds)
{
    const struct timespec times[2] = {{seconds, 0}, {seconds, 7}};
    FILE *to = fopen("r", "w");
    cr_assert(to);
    for (long i = 0; i < bytes; i++) cr_assert(putc(i == at ? 'b' : 'a', to) != EOF);
    cr_assert_eq(fclose(to), 0);
    cr_assert_eq(utimensat(AT_FDCWD, "r", times, 0), 0);
}

/* Returns whether the file is another than the one that was taken. */
static bool is_other(const struct learned_reference *reference)
{
    struct record record = {0};
    cr_assert(record_name(&record, 0, "r"));
    const bool other = reference_is_other(&record.side[0], reference);
    record_clear(&record);
    return other;
}

/* A reference is known by its size, then its time, then some of its bytes. */
Test(run_learned, references_are_known_after_a_copy)
{
    int error;
    const long sizes[] = {1, 4096, 12288, 12289, 100000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const long bytes = sizes[i], middle = (bytes - 1) / 2, far = 6000;
        struct record record = {0};
        struct learned_reference reference;
        write_bytes(bytes, -1, 1000);
        cr_assert(record_name(&record, 0, "r"));
        cr_assert(reference_take(&record.side[0], &reference, &error) && error == 0);
        record_clear(&record);
        cr_expect(!is_other(&reference));
        write_bytes(bytes, -1, 2000);
        cr_expect(!is_other(&reference), "%ld: a copy", bytes);
        write_bytes(bytes, 0, 1000);
        cr_expect(!is_other(&reference), "%ld: size and time are the same", bytes);
        write_bytes(bytes + 1, -1, 1000);
        cr_expect(is_other(&reference), "%ld: its size", bytes);
        for (int place = 0; place < 3; place++) {
            write_bytes(bytes, place == 0 ? 0 : place == 1 ? middle : bytes - 1, 2000);
            cr_expect(is_other(&reference), "%ld: byte of place %d", bytes, place);
        }
        if (far >= bytes) continue;
        write_bytes(bytes, far, 2000);
        cr_expect_eq(is_other(&reference), bytes < 100000, "%ld: a byte that is not read", bytes);
    }
}

Test(run_learned, what_is_no_file_is_no_other_reference)
{
    struct record record = {0};
    struct learned_reference reference = {.bytes = 1};
    cr_assert(record_name(&record, 0, "-"));
    int error = 1;
    cr_expect(!reference_take(&record.side[0], &reference, &error) && error == 0);
    reference.bytes = 1;
    cr_expect(!reference_is_other(&record.side[0], &reference));
    record_clear(&record);
}

/* A file that is there and cannot be read may be any: learned limits say nothing about it. */
Test(run_learned, what_cannot_be_read_is_another_reference)
{
    struct record record = {0};
    struct learned_reference reference;
    int error = 0;
    cr_assert(mkdir("folder", 0700) == 0 && record_name(&record, 0, "folder"));
    record.side[0].known = true;
    cr_expect(!reference_take(&record.side[0], &reference, &error) && error == EISDIR);
    reference.nanoseconds++;
    cr_expect(reference_is_other(&record.side[0], &reference));
    record_clear(&record);
    (void)rmdir("folder");
}
