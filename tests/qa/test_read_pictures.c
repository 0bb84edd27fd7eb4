/* ssimcu_pictures.h: what is read gets the digits of a run, under the run's numbers and names. */
#include "ssimcu_pictures.h"

#include "check.h"
#include "require.h"
#include "scratch.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define DATA SSIMCU_TESTDATA "/"

enum { WIDTH = 48, HEIGHT = 32, FRAMES = 6, FRAME_BYTES = WIDTH * HEIGHT * 3 / 2, MOST = 16 };

static void run_command(const char *command) { cr_assert_eq(system(command), 0, "%s", command); }

/* Makes a video of 8 bits, 4:2:0, whose samples depend on `factor`. */
static void make_video(const char *path, int factor, const char *more)
{
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    fprintf(file, "YUV4MPEG2 W%d H%d C420jpeg%s\n", WIDTH, HEIGHT, more);
    for (int f = 0; f < FRAMES; f++) {
        fputs("FRAME\n", file);
        for (int i = 0; i < FRAME_BYTES; i++) fputc((i * factor + f * 5) % 251, file);
    }
    cr_assert_eq(fclose(file), 0);
}

static void make_directory(void)
{
    scratch_enter();
    run_command("mkdir -p ref/s1 out/s1 light lit");
    run_command("for i in 1 2 3; do cp " DATA "rgb8_a.png ref/f.$i.png; done; "
                "cp " DATA "rgb8_b.png out/f.1.png; cp ref/f.1.png out/f.2.png; "
                "cp " DATA "rgb8_a.tif out/f.3.tif; cp ref/f.1.png ref/s1; cp out/f.1.png out/s1; "
                "cp " DATA "rgbf_a.tif light/f.1.tif; cp " DATA "light.exr light/f.2.exr; "
                "cp " DATA "rgb8_b.tif lit/f.1.tif; cp " DATA "rgb16_b.png lit/f.2.png");
    make_video("a.y4m", 1, "");
    make_video("b.y4m", 3, "");
}

TestSuite(read_pictures, .init = make_directory, .fini = scratch_leave, .timeout = 120);

static ssimcu_pictures *open_pictures(const char *path, const ssimcu_run_options *options)
{
    ssimcu_pictures *pictures = NULL;
    ssimcu_message why = {{0}};
    cr_assert_eq(ssimcu_pictures_open(path, options, &pictures, &why), SSIMCU_OK, "%s", why.text);
    return pictures;
}

static ssimcu_picture *next(ssimcu_pictures *pictures)
{
    ssimcu_picture *picture = NULL;
    ssimcu_message why = {{0}};
    cr_assert_eq(ssimcu_pictures_next(pictures, &picture, &why), SSIMCU_OK, "%s", why.text);
    return picture;
}

/* ---- Digits ---------------------------------------------------------------------------------- */

/* The scored records of a run. */
struct records {
    int count;
    struct {
        int64_t frame;
        double score;
        ssimcu_tile tile;
        char path[2][64], shot[16];
    } one[MOST];
};

static ssimcu_status keep(void *user, const ssimcu_record *record)
{
    struct records *records = user;
    cr_assert_eq(record->kind, SSIMCU_RECORD_SCORED, "%s", record->message);
    const int at = records->count++;
    records->one[at].frame = record->frame;
    records->one[at].score = record->scored.score;
    records->one[at].tile = record->scored.tile;
    for (int s = 0; s < 2; s++)
        snprintf(records->one[at].path[s], sizeof records->one[at].path[s], "%s", record->path[s]);
    snprintf(records->one[at].shot, sizeof records->one[at].shot, "%s",
             record->shot ? record->shot : "");
    return SSIMCU_OK;
}

static struct records score_run(const char *ref, const char *out, ssimcu_run_options options)
{
    struct records records = {0};
    ssimcu_run_hooks hooks = SSIMCU_INIT(run_hooks, .user = &records, .record = keep);
    ssimcu_run *run = NULL;
    ssimcu_message why = {{0}};
    options.ref = ref, options.out = &out, options.outs = 1;
    options.device = SSIMCU_DEVICE_CPU;
    cr_assert_eq(ssimcu_run_open(&options, &run, &why), SSIMCU_OK, "%s", why.text);
    cr_assert_eq(ssimcu_run_score(run, &hooks, &why), SSIMCU_OK, "%s", why.text);
    ssimcu_run_close(&run);
    return records;
}

/* Scores the views by the core alone. */
static double score(ssimcu_context *context, const ssimcu_picture *ref, const ssimcu_picture *out)
{
    ssimcu_score made = SSIMCU_INIT(score);
    ssimcu_message why = {{0}};
    const ssimcu_status status =
        ref->planes == 1
            ? ssimcu_compare_views(context, ref->view, out->view, &made, NULL, NULL, &why)
            : ssimcu_compare_planes(context, ref->view, out->view, ref->planes, &made, NULL, &why);
    cr_assert_eq(status, SSIMCU_OK, "%s", why.text);
    return made.score;
}

/* The score and the worst tile must be those of the run, to the bit. */
static void check_pair(ssimcu_context *context, ssimcu_picture *const picture[2], double expected,
                       const ssimcu_tile *tile)
{
    ssimcu_score made = SSIMCU_INIT(score);
    ssimcu_message why = {{0}};
    cr_assert_eq(ssimcu_compare_pictures(context, picture[0], picture[1], 64, &made, &why),
                 SSIMCU_OK, "%s", why.text);
    const double views = score(context, picture[0], picture[1]);
    cr_assert(made.score == expected && views == expected, "%s: %.17g, views %.17g, a run %.17g",
              picture[0]->path, made.score, views, expected);
    cr_assert_eq(memcmp(&made.worst, tile, sizeof *tile), 0, "%s: worst tile", picture[0]->path);
}

/* Reads both sides and scores every pair. */
static void check_digits(const char *ref, const char *out, const ssimcu_run_options *options,
                         int expected)
{
    const struct records records = score_run(ref, out, *options);
    const ssimcu_settings settings = check_settings_for(SSIMCU_DEVICE_CPU, SSIMCU_PAD_VALID);
    ssimcu_context *context = check_open(&settings);
    ssimcu_pictures *side[2] = {open_pictures(ref, options), open_pictures(out, options)};
    cr_assert_eq(records.count, expected, "%s: %d records", ref, records.count);
    for (int i = 0; i < records.count; i++) {
        ssimcu_picture *picture[2] = {next(side[0]), next(side[1])};
        for (int s = 0; s < 2; s++) {
            const char *shot = picture[s]->shot ? picture[s]->shot : "";
            cr_assert(picture[s] && picture[s]->frame == records.one[i].frame);
            cr_assert_str_eq(picture[s]->path, records.one[i].path[s]);
            cr_assert_str_eq(shot, records.one[i].shot);
            cr_assert_not(picture[s]->on_device);
        }
        check_pair(context, picture, records.one[i].score, &records.one[i].tile);
        for (int s = 0; s < 2; s++) ssimcu_picture_release(&picture[s]);
    }
    for (int s = 0; s < 2; s++) {
        cr_assert_null(next(side[s]), "it ends with the run");
        ssimcu_pictures_close(&side[s]);
        cr_assert_null(side[s]);
    }
    ssimcu_close(&context);
}

/* Returns whether this build reads the file. */
static bool can_read(const char *path)
{
    ssimcu_pictures *pictures = NULL;
    ssimcu_picture *picture = NULL;
    ssimcu_status status = ssimcu_pictures_open(path, NULL, &pictures, NULL);
    if (status == SSIMCU_OK) status = ssimcu_pictures_next(pictures, &picture, NULL);
    ssimcu_picture_release(&picture);
    ssimcu_pictures_close(&pictures);
    return status != SSIMCU_ERROR_UNSUPPORTED;
}

Test(read_pictures, pictures_score_as_in_a_run)
{
    ssimcu_run_options options = SSIMCU_INIT(run_options);
    check_digits(DATA "rgb8_a.png", DATA "rgb8_b.png", &options, 1);
    if (can_read("out/f.3.tif")) check_digits("ref", "out", &options, 3);
    if (can_read("light/f.1.tif") && can_read("light/f.2.exr"))
        check_digits("light", "lit", &options, 2);
    run_command("rm out/f.3.tif ref/f.3.png");
    check_digits("ref/f.#.png", "out/f.%d.png", &options, 2);
    options.frames = "2-9x9";
    check_digits("ref", "out", &options, 1);
    options.frames = NULL, options.recursive = 1;
    check_digits("ref", "out", &options, 3);
}

Test(read_pictures, video_scores_as_in_a_run)
{
    ssimcu_run_options options = SSIMCU_INIT(run_options);
    check_digits("a.y4m", "b.y4m", &options, FRAMES);
    options.frames = "1,3-4";
    check_digits("a.y4m", "b.y4m", &options, 3);
    options.frames = NULL;
    if (system("command -v ffmpeg >/dev/null") == 0) {
        run_command("for f in a b; do ffmpeg -nostdin -v error -i $f.y4m -c:v mpeg4 -g 2 -q:v 3 "
                    "$f.mkv; done");
        if (can_read("a.mkv")) {
            check_digits("a.mkv", "b.mkv", &options, FRAMES);
            options.frames = "4";
            check_digits("a.mkv", "b.mkv", &options, 1);
        }
    } else {
        cr_assert_not(is_required("ffmpeg"), "ffmpeg is required (SSIMCU_REQUIRE)");
    }
    run_command("for f in a b; do head -c 4700 $f.y4m | tail -c 4608 >$f.yuv; done");
    options.frames = NULL, options.size = "48x32", options.format = "yuv420p";
    check_digits("a.yuv", "b.yuv", &options, 2);
}

/* A pipe is read once, from its first byte to its last. */
Test(read_pictures, video_from_a_pipe)
{
    run_command("mkfifo pipe; cat a.y4m >pipe &");
    ssimcu_pictures *piped = open_pictures("pipe", NULL), *file = open_pictures("a.y4m", NULL);
    for (int i = 0; i <= FRAMES; i++) {
        ssimcu_picture *one = next(piped), *other = next(file);
        cr_assert((one != NULL) == (i < FRAMES) && (other != NULL) == (i < FRAMES));
        if (!one) break;
        for (uint32_t p = 0; p < 3; p++)
            cr_assert_eq(memcmp(one->view[p].data[0], other->view[p].data[0],
                                (size_t)one->view[p].width * one->view[p].height),
                         0, "frame %d, plane %u", i, p);
        ssimcu_picture_release(&one), ssimcu_picture_release(&other);
    }
    ssimcu_pictures_close(&piped), ssimcu_pictures_close(&file);
}

/* ---- Life and errors ------------------------------------------------------------------------- */

Test(read_pictures, several_can_be_kept)
{
    static const char *const paths[] = {"a.y4m", "ref"};
    for (int i = 0; i < 2; i++) {
        ssimcu_pictures *pictures = open_pictures(paths[i], NULL);
        ssimcu_picture *kept[3];
        for (int k = 0; k < 3; k++) cr_assert_not_null(kept[k] = next(pictures));
        const uint8_t *first = kept[0]->view->data[0], *last = kept[2]->view->data[0];
        cr_assert(first != last && kept[0]->frame + 2 == kept[2]->frame);
        if (i == 0) cr_assert(first[100] == 100 && last[100] == 110);
        for (int k = 3; k-- > 0;) ssimcu_picture_release(&kept[k]);
        cr_assert_null(kept[0]);
        ssimcu_pictures_close(&pictures);
    }
    ssimcu_picture_release(NULL);
    ssimcu_pictures_close(NULL);
}

Test(read_pictures, a_bad_picture_is_passed_over)
{
    const ssimcu_run_options options = SSIMCU_INIT(run_options, .frames = "1-4");
    run_command("cp " DATA "truncated.png ref/f.2.png");
    ssimcu_pictures *pictures = open_pictures("ref", &options);
    for (int frame = 1; frame <= 4; frame++) {
        ssimcu_picture *picture = NULL;
        if (frame == 2)
            CHECK_FAILS(ssimcu_pictures_next(pictures, &picture, &message), SSIMCU_ERROR_DATA,
                        "ref/f.2.png");
        else if (frame == 4)
            CHECK_FAILS(ssimcu_pictures_next(pictures, &picture, &message), SSIMCU_ERROR_FILE,
                        "frame 4");
        else
            cr_assert_eq((picture = next(pictures))->frame, frame);
        cr_assert_eq(picture != NULL, frame % 2 != 0);
        ssimcu_picture_release(&picture);
    }
    cr_assert_null(next(pictures));
    ssimcu_pictures_close(&pictures);
}

/* What a run would refuse. A file that says nothing of its range goes with either. */
Test(read_pictures, pairs_that_do_not_match)
{
    static const char *const path[] = {"ref", "a.y4m", "full.y4m", "limited.y4m",
                                       DATA "tiny11x11.png"};
    enum { COUNT = sizeof path / sizeof path[0] };
    ssimcu_pictures *pictures[COUNT];
    ssimcu_picture *first[COUNT];
    make_video("full.y4m", 1, " XCOLORRANGE=FULL");
    make_video("limited.y4m", 1, " XCOLORRANGE=LIMITED");
    for (int i = 0; i < COUNT; i++) {
        pictures[i] = open_pictures(path[i], NULL);
        first[i] = next(pictures[i]);
    }
    cr_assert_eq(ssimcu_picture_match(first[1], first[2], NULL), SSIMCU_OK);
    CHECK_FAILS(ssimcu_picture_match(first[2], first[3], &message), SSIMCU_ERROR_MISMATCH,
                "ranges differ");
    CHECK_FAILS(ssimcu_picture_match(first[0], first[1], &message), SSIMCU_ERROR_MISMATCH,
                "a frame of video");
    CHECK_FAILS(ssimcu_picture_match(first[0], first[4], &message), SSIMCU_ERROR_MISMATCH,
                "sizes differ");
    CHECK_FAILS(ssimcu_picture_match(first[0], NULL, &message), SSIMCU_ERROR_ARGUMENT, "NULL");
    ssimcu_score score = SSIMCU_INIT(score);
    const ssimcu_settings settings = check_settings_for(SSIMCU_DEVICE_CPU, SSIMCU_PAD_VALID);
    ssimcu_context *context = check_open(&settings);
    CHECK_FAILS(ssimcu_compare_pictures(context, first[2], first[3], 0, &score, &message),
                SSIMCU_ERROR_MISMATCH, "ranges differ");
    WRONG_SIZES(ssimcu_compare_pictures(context, first[1], first[2], 64, &score, &message), score,
                "score");
    ssimcu_close(&context);
    for (int i = 0; i < COUNT; i++) {
        ssimcu_picture_release(&first[i]);
        ssimcu_pictures_close(&pictures[i]);
    }
}

#define REFUSED(path, field, status, word)                                                         \
    do {                                                                                           \
        ssimcu_run_options options = SSIMCU_INIT(run_options);                                     \
        ssimcu_pictures *pictures = (ssimcu_pictures *)&options;                                   \
        options.field;                                                                             \
        CHECK_FAILS(ssimcu_pictures_open(path, &options, &pictures, &message), status, word);      \
        cr_assert_null(pictures);                                                                  \
    } while (0)

Test(read_pictures, what_cannot_be_opened)
{
    ssimcu_run_options given = SSIMCU_INIT(run_options);
    ssimcu_pictures *pictures = NULL;
    ssimcu_picture *picture = NULL;
    REFUSED(NULL, ref = NULL, SSIMCU_ERROR_ARGUMENT, "REF");
    REFUSED("gone.y4m", ref = NULL, SSIMCU_ERROR_FILE, "gone.y4m");
    REFUSED("light/..", ref = NULL, SSIMCU_ERROR_FILE, "light/..");
    REFUSED("ref", frames = "x", SSIMCU_ERROR_ARGUMENT, "--frames");
    REFUSED("ref/f.1.png", frames = "1", SSIMCU_ERROR_ARGUMENT, "--frames");
    REFUSED("ref", size = "48x32", SSIMCU_ERROR_ARGUMENT, "--size");
    REFUSED("a.y4m", recursive = 1, SSIMCU_ERROR_ARGUMENT, "--recursive");
    REFUSED("ref", decode = SSIMCU_DECODE_CUDA, SSIMCU_ERROR_ARGUMENT, "--decode cuda");
    REFUSED("ref", layers = 1, SSIMCU_ERROR_ARGUMENT, "layers");
    REFUSED("a.y4m", decode = SSIMCU_DECODE_CUDA;
            options.device_index = 63, SSIMCU_ERROR_DEVICE, "--decode cuda");
    WRONG_SIZES(ssimcu_pictures_open("ref", &given, &pictures, &message), given, "run_options");
    CHECK_FAILS(ssimcu_pictures_open("ref", NULL, NULL, &message), SSIMCU_ERROR_ARGUMENT, "NULL");
    CHECK_FAILS(ssimcu_pictures_next(NULL, &picture, &message), SSIMCU_ERROR_ARGUMENT, "NULL");
    pictures = open_pictures("gone.png", NULL);
    CHECK_FAILS(ssimcu_pictures_next(pictures, &picture, &message), SSIMCU_ERROR_FILE, "gone.png");
    CHECK_FAILS(ssimcu_pictures_next(pictures, NULL, &message), SSIMCU_ERROR_ARGUMENT, "NULL");
    ssimcu_pictures_close(&pictures);
}
