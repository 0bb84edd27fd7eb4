/* The pipeline: every frame once and in order, with the same bits, whoever decodes and scores; what
 * is refused or stopped ends it without losing what came before. */
#include "batch/engine.h"
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FRAMES = 1500, KINDS = 6 };

static char list[] = "/tmp/ssimcu-test-engine-XXXXXX";

static void make_list(void)
{
    static const char *const out[KINDS] = {"rgb8_b.png", "rgb8_a.png",    "grey8_a.png",
                                           "gone.png",   "truncated.png", "tiny16x16.jpg"};
    FILE *file = fdopen(mkstemp(list), "w");
    cr_assert_not_null(file);
    for (int i = 0; i < FRAMES; i++)
        fprintf(file, "%s/rgb8_a.png\t%s/%s\n", SSIMCU_TESTDATA, SSIMCU_TESTDATA,
                out[i % 7 < KINDS ? i % 7 : 0]);
    cr_assert_eq(fclose(file), 0);
}

static void remove_list(void) { unlink(list); }

TestSuite(engine, .init = make_list, .fini = remove_list);

struct seen {
    int frames, scored, missing, failed, most;
    double score[FRAMES];
};

static bool take(void *user, const struct record *record, bool known)
{
    struct seen *seen = user;
    cr_assert_not(known);
    cr_assert_eq(record->frame, seen->frames + 1, "frame %d came after %d", (int)record->frame,
                 seen->frames);
    seen->score[seen->frames++] = record->score;
    seen->scored += record->kind == RECORD_SCORED;
    seen->missing += record->kind == RECORD_MISSING;
    seen->failed += record->kind == RECORD_FAILED;
    return seen->frames != seen->most;
}

static struct engine_times run_with(struct engine_plan plan, int argc, char **argv)
{
    static struct options options;
    struct engine_times times = {0};
    ssimcu_message why = {{0}};
    optind = 1;
    cr_assert(options_parse(&options, argc, argv));
    cr_assert_eq(source_open(&options, NULL, &plan.source, &why), SSIMCU_OK, "%s", why.text);
    plan.options = &options;
    cr_assert_eq(engine_run(&plan, &times, &why), SSIMCU_OK, "%s", why.text);
    source_close(plan.source);
    return times;
}

static struct engine_times run(struct engine_plan plan, const char *device, const char *memory,
                               struct seen *seen)
{
    char *argv[] = {(char[]){"ssimcu"}, (char[]){"--device"}, (char *)device, (char[]){"--memory"},
                    (char *)memory,     (char[]){"--list"},   list,           NULL};
    plan.take = take;
    plan.user = seen;
    return run_with(plan, 7, argv);
}

static void expect_all(const struct seen *seen)
{
    cr_assert_eq(seen->frames, FRAMES);
    cr_assert_eq(seen->missing, (FRAMES + 3) / 7);
    cr_assert_eq(seen->failed, (FRAMES + 2) / 7 + (FRAMES + 1) / 7);
    cr_assert_eq(seen->scored, FRAMES - seen->missing - seen->failed);
}

Test(engine, in_place_or_apart_with_any_memory)
{
    static struct seen first, other;
    run((struct engine_plan){0}, "cpu", "1G", &first);
    expect_all(&first);
    static const char *const memory[] = {"1G", "40K", "90K", "200K"};
    for (int i = 0; i < 4; i++) {
        memset(&other, 0, sizeof other);
        const struct engine_times times =
            run((struct engine_plan){.split = true}, "cpu", memory[i], &other);
        expect_all(&other);
        cr_assert(times.memory_peak <= times.memory_limit && times.lanes > 0);
        for (int f = 0; f < FRAMES; f++)
            cr_assert_eq(first.score[f], other.score[f], "frame %d, %s", f, memory[i]);
    }
}

Test(engine, on_every_gpu)
{
    static struct seen cpu, gpu, again;
    if (!check_has_cuda()) return;
    run((struct engine_plan){0}, "cpu", "1G", &cpu);
    run((struct engine_plan){0}, "all", "1G", &gpu);
    run((struct engine_plan){0}, "cuda:0", "90K", &again);
    expect_all(&gpu);
    expect_all(&again);
    for (int f = 0; f < FRAMES; f++) {
        check_near(gpu.score[f], cpu.score[f], 1e-6, "frame %d", f);
        cr_assert_eq(gpu.score[f], again.score[f], "frame %d", f);
    }
}

Test(engine, refused_results_end_it)
{
    for (int split = 0; split < 2; split++) {
        static struct seen seen;
        memset(&seen, 0, sizeof seen);
        seen.most = 100;
        run((struct engine_plan){.split = split}, "cpu", "1G", &seen);
        cr_assert_eq(seen.frames, 100, "nothing is handed out after a refusal");
    }
}

static int asked;
static bool stop_soon(void) { return __atomic_add_fetch(&asked, 1, __ATOMIC_RELAXED) > 200; }

Test(engine, a_stop_loses_no_frame_that_was_begun)
{
    for (int split = 0; split < 2; split++) {
        static struct seen seen;
        memset(&seen, 0, sizeof seen);
        asked = 0;
        run((struct engine_plan){.split = split, .stopped = stop_soon}, "cpu", "1G", &seen);
        cr_assert(seen.frames >= 90 && seen.frames <= 200, "%d frames", seen.frames);
    }
}

Test(engine, stages_alone)
{
    for (int split = 0; split < 2; split++) {
        static struct seen seen;
        memset(&seen, 0, sizeof seen);
        struct engine_times times =
            run((struct engine_plan){.split = split, .stages = ENGINE_DECODE}, "cpu", "1G", &seen);
        expect_all(&seen);
        cr_assert(times.score == 0 && times.decode > 0);
    }
}

/* ---- Video ---- */

enum { WIDTH = 700, HEIGHT = 520, CLIP_FRAMES = 40, FRAME_BYTES = WIDTH * HEIGHT * 3 / 2 };

struct clip {
    uint8_t *bytes[2]; /* random, 4:2:0 */
    char path[2][40];
    ssimcu_context *alone; /* scores planes by themselves */
    int frames;
};

static void make_clip(struct clip *clip, int side, check_random *random)
{
    strcpy(clip->path[side], "/tmp/ssimcu-test-engine-XXXXXX");
    FILE *file = fdopen(mkstemp(clip->path[side]), "w");
    uint8_t *bytes = clip->bytes[side] = malloc((size_t)CLIP_FRAMES * FRAME_BYTES);
    cr_assert(file && bytes);
    for (size_t i = 0; i < (size_t)CLIP_FRAMES * FRAME_BYTES; i++)
        bytes[i] = (uint8_t)check_draw(random);
    fprintf(file, "YUV4MPEG2 W%d H%d C420jpeg\n", WIDTH, HEIGHT);
    for (int f = 0; f < CLIP_FRAMES; f++) {
        fputs("FRAME\n", file);
        fwrite(bytes + (size_t)f * FRAME_BYTES, 1, FRAME_BYTES, file);
    }
    cr_assert_eq(fclose(file), 0);
}

/* Plane p of a frame of one side. */
static ssimcu_frame plane_of(const struct clip *clip, int side, int frame, int p)
{
    static const size_t at[3] = {0, WIDTH * HEIGHT, WIDTH * HEIGHT * 5 / 4};
    const uint32_t part = p == 0 ? 1 : 2;
    return (ssimcu_frame){.width = WIDTH / part,
                          .height = HEIGHT / part,
                          .channels = 1,
                          .bits = 8,
                          .pitch = WIDTH / part,
                          .data = clip->bytes[side] + (size_t)frame * FRAME_BYTES + at[p]};
}

static bool take_video(void *user, const struct record *record, bool known)
{
    struct clip *clip = user;
    cr_assert(!known && record->kind == RECORD_SCORED && record->channels == 3);
    cr_assert_eq(record->frame, clip->frames);
    for (int p = 0; p < 3; p++) {
        const ssimcu_frame ref = plane_of(clip, 0, clip->frames, p);
        const ssimcu_frame out = plane_of(clip, 1, clip->frames, p);
        cr_assert_eq(record->channel[p], check_compare(clip->alone, &ref, &out).score,
                     "frame %d, plane %d", clip->frames, p);
    }
    clip->frames++;
    return true;
}

/* Every plane of every frame scores as it does alone, whoever scores it, with any memory. */
BACKEND_TEST(engine, video)
{
    const ssimcu_settings settings = {.struct_size = sizeof settings, .device = device};
    struct clip clip = {.alone = check_open(&settings)};
    check_random random = {5};
    for (int side = 0; side < 2; side++) make_clip(&clip, side, &random);
    static char memory[][8] = {"1G", "2M", "5M"};
    for (int i = 0; i < 6; i++) {
        char *argv[] = {(char[]){"ssimcu"},
                        (char[]){"--device"},
                        device == SSIMCU_DEVICE_CPU ? (char[]){"cpu"} : (char[]){"cuda:0"},
                        (char[]){"--memory"},
                        memory[i / 2],
                        clip.path[0],
                        clip.path[1],
                        NULL};
        clip.frames = 0;
        const struct engine_times times = run_with(
            (struct engine_plan){.split = i % 2, .take = take_video, .user = &clip}, 7, argv);
        cr_assert_eq(clip.frames, CLIP_FRAMES);
        cr_assert_eq(times.frames, (uint64_t)CLIP_FRAMES);
        cr_assert(times.stage.ssim > 0);
    }
    for (int side = 0; side < 2; side++) {
        unlink(clip.path[side]);
        free(clip.bytes[side]);
    }
    ssimcu_close(&clip.alone);
}
