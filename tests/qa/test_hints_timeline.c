/* What neighbours tell: sequences made of a photo, with frames out of place, and clean ones. */
#include "hints/hints.h"
#include "hints_image.h"

#include <stdio.h>
#include <stdlib.h>

enum { FRAMES = 12, WIDTH = 240, HEIGHT = 136 };

/* ---- Sequences ------------------------------------------------------------------------------- */

enum motion { PAN, SLOW_PAN, ZOOM, STILL, FADE, PAN_AND_FADE, WALKER, FLICKER, MOTIONS };

/* Returns frame `at` of a sequence. */
static struct image scene(enum motion motion, double at)
{
    struct image image;
    switch (motion) {
    case PAN:
    case PAN_AND_FADE: image = image_crop(500 + 19 * at, 300 + 6 * at, 3, WIDTH, HEIGHT); break;
    case SLOW_PAN: image = image_crop(700 + 1.5 * at, 300, 4, WIDTH, HEIGHT); break;
    case ZOOM: image = image_crop(600, 300, 3 + 0.05 * at, WIDTH, HEIGHT); break;
    default: image = image_crop(900, 200, 4, WIDTH, HEIGHT);
    }
    if (motion == FADE || motion == PAN_AND_FADE) image_scale(&image, 1 - 0.05 * at);
    if (motion == FLICKER && (int)at % 2 == 1) image_scale(&image, 0.8);
    if (motion == WALKER)
        image_fill(&image, (uint32_t)(20 + 9 * at), 50, 24, 40, (const float[3]){0.7f, 0.2f, 0.2f});
    return image;
}

/* What OUT has been through. */
enum coding { EXACT, JPEG, GRAIN, DENOISED, BLURRED, DIM, GRAIN_ONCE };

static void code(struct image *ref, struct image *out, enum coding coding, uint32_t frame)
{
    switch (coding) {
    case EXACT: break;
    case JPEG: image_jpeg(out, 70); break;
    case GRAIN: image_noise(out, 77 + frame, 6); break;
    case DENOISED: image_noise(ref, 99 + frame, 6); break;
    case BLURRED: image_blur(out, 1); break;
    case GRAIN_ONCE:
        image_scale(out, 0.8);
        if (frame == 6) image_noise(ref, 99, 2);
        break;
    default: image_scale(out, 0.9);
    }
}

enum { NEGATIVE = -100 };

/* A sequence: the frame of the scene that OUT shows at each place, and each frame's hints as
 * text. */
struct run {
    enum motion motion;
    enum coding coding;
    enum kind kind;
    int shown[FRAMES]; /* -1: black; -2: no signatures; NEGATIVE less n: frame n's negative */
    uint32_t every;    /* frame numbers go up by this */
    char text[FRAMES][200];
    uint32_t taken, late; /* frames, and how many of them were held back */
};

static void note(struct run *run, const struct hints *hints, const void *user)
{
    cr_assert_eq((const char *)user - run->text[0], (ptrdiff_t)sizeof run->text[0] * run->taken,
                 "frames come in their order");
    char *text = run->text[run->taken++];
    for (uint32_t i = 0; i < hints->count; i++)
        snprintf(text + strlen(text), sizeof run->text[0] - strlen(text), "%s%s", i ? "; " : "",
                 hints->text[i]);
}

static void add_frame(struct run *run, struct timeline *timeline, int frame)
{
    const int shown = run->shown[frame];
    const int source = shown <= NEGATIVE ? NEGATIVE - shown : abs(shown);
    struct image ref = scene(run->motion, frame), out = scene(run->motion, source);
    struct signature signature[2];
    struct hints hints;
    code(&ref, &out, run->coding, (uint32_t)source);
    for (uint32_t c = 0; c < 3 && shown <= NEGATIVE; c++) image_line(&out, c, -1, 1);
    if (shown == -1) image_scale(&out, 0);
    struct shot a = shot_make(&ref, run->kind, false), b = shot_make(&out, run->kind, false);
    const ssimcu_score score = shot_score(&a, &b);
    look_pair(a.plane, b.plane, a.planes, &score, &hints, signature);
    timeline_add(timeline, frame * (int64_t)run->every, shown == -2 ? NULL : signature,
                 shown == -2 ? NULL : &hints, score.score, run->text[frame]);
    shot_free(&a);
    shot_free(&b);
    image_free(&ref);
    image_free(&out);
}

static void play(struct run *run)
{
    static struct timeline timeline;
    struct hints hints;
    void *user = NULL;
    memset(&timeline, 0, sizeof timeline);
    for (int frame = 0; frame < FRAMES; frame++) {
        add_frame(run, &timeline, frame);
        while ((user = timeline_take(&timeline, false, &hints)) != NULL) {
            run->late += (int)run->taken < frame;
            note(run, &hints, user);
        }
        cr_assert_leq(frame + 1 - (int)run->taken, 3, "no frame waits longer");
    }
    while ((user = timeline_take(&timeline, true, &hints)) != NULL) note(run, &hints, user);
    cr_assert_eq(run->taken, FRAMES);
}

/* Checks each frame's hints, NULL for none. */
static void expect_at(struct run *run, const char *const expected[FRAMES])
{
    play(run);
    for (int frame = 0; frame < FRAMES; frame++)
        cr_expect_str_eq(run->text[frame], expected[frame] ? expected[frame] : "",
                         "motion %d, coding %d, kind %d, frame %d: \"%s\", not \"%s\"", run->motion,
                         run->coding, run->kind, frame, run->text[frame],
                         expected[frame] ? expected[frame] : "");
}

static struct run run_of(enum motion motion, enum coding coding, enum kind kind)
{
    struct run run = {.motion = motion, .coding = coding, .kind = kind, .every = 1};
    for (int i = 0; i < FRAMES; i++) run.shown[i] = i;
    return run;
}

/* ---- Tests ----------------------------------------------------------------------------------- */

Test(hints_timeline, clean_sequences_have_none)
{
    const char *none[FRAMES] = {NULL};
    for (enum motion motion = 0; motion < MOTIONS; motion++)
        for (enum coding coding = 0; coding < DIM; coding++) {
            struct run run = run_of(motion, coding, (enum kind)((motion + coding) % KINDS));
            expect_at(&run, none);
        }
}

Test(hints_timeline, repeated_frames_are_stuck)
{
    static const enum motion moving[] = {PAN, SLOW_PAN, ZOOM, PAN_AND_FADE, FADE, WALKER};
    const char *expected[FRAMES] = {
        [5] = "stuck", [6] = "stuck", [7] = "stuck", [8] = "stuck", [9] = "stuck"};
    for (size_t m = 0; m < sizeof moving / sizeof moving[0]; m++)
        for (enum coding coding = 0; coding < DENOISED; coding++) {
            struct run run = run_of(moving[m], coding, (enum kind)((m + coding) % KINDS));
            for (int i = 5; i < 10; i++) run.shown[i] = 4;
            expect_at(&run, expected);
        }
}

Test(hints_timeline, another_frame_is_named_by_its_distance)
{
    static const enum motion moving[] = {PAN, SLOW_PAN, ZOOM, PAN_AND_FADE};
    static const char *const text[] = {"frame -3", "frame -2", "frame -1", NULL,
                                       "frame +1", "frame +2", "frame +3"};
    for (size_t m = 0; m < sizeof moving / sizeof moving[0]; m++)
        for (int k = -3; k <= 3; k++) {
            const char *expected[FRAMES] = {[6] = text[k + 3]};
            const enum coding coding = m == 1 ? EXACT : (enum coding)((k + 3) % 3);
            struct run run = run_of(moving[m], coding, (enum kind)((m + k + 3) % KINDS));
            run.shown[6] += k;
            if (k == -1) expected[6] = "stuck";
            if (k == 1 || k == -2) continue; /* the next frame or the one before it is another */
            expect_at(&run, expected);
        }
}

Test(hints_timeline, all_frames_late)
{
    const char *expected[FRAMES] = {NULL};
    struct run run = run_of(PAN, JPEG, RGB8);
    for (int i = 1; i < FRAMES; i++) {
        run.shown[i] = i - 1;
        expected[i] = i == 1 ? "stuck" : "frame -1";
    }
    expect_at(&run, expected);
}

Test(hints_timeline, black_stays_black)
{
    const char *expected[FRAMES] = {[4] = "black", [5] = "black", [6] = "black"};
    struct run run = run_of(PAN_AND_FADE, JPEG, YUV8);
    run.shown[4] = run.shown[5] = run.shown[6] = -1;
    expect_at(&run, expected);
}

Test(hints_timeline, gain_stays_gain)
{
    const char *expected[FRAMES] = {NULL};
    struct run run = run_of(SLOW_PAN, DIM, GREY8);
    for (int i = 0; i < FRAMES; i++) expected[i] = "gain grey 0.900";
    expect_at(&run, expected);
}

Test(hints_timeline, frames_that_are_missing_tell_nothing)
{
    const char *expected[FRAMES] = {NULL};
    struct run run = run_of(PAN, EXACT, RGB8);
    run.shown[4] = -2; /* 5 shows what 4 would have been, and 8 shows 5 */
    run.shown[5] = 3;
    run.shown[9] = 6;
    expected[5] = "frame -2";
    expected[9] = "frame -3";
    expect_at(&run, expected);
}

Test(hints_timeline, shares_see_no_neighbours)
{
    const char *none[FRAMES] = {NULL};
    struct run run = run_of(PAN, EXACT, RGB8);
    run.every = 4;
    run.shown[6] = 4;
    run.shown[8] = 7;
    expect_at(&run, none);
}

Test(hints_timeline, good_frames_are_not_held_back)
{
    const char *none[FRAMES] = {NULL};
    struct run run = run_of(PAN, EXACT, RGB8);
    expect_at(&run, none);
    cr_expect_eq(run.late, 0);
}

/* The frame whose place a missing one has taken no longer counts. */
Test(hints_timeline, a_missing_frame_is_not_the_one_long_before)
{
    const char *none[FRAMES] = {NULL};
    struct run run = run_of(PAN, EXACT, RGB8);
    run.shown[9] = -2;
    run.shown[10] = 9 - (2 * TIMELINE_REACH + 2);
    expect_at(&run, none);
}

Test(hints_timeline, a_negative_is_no_neighbour)
{
    const char *none[FRAMES] = {NULL};
    struct run run = run_of(PAN, EXACT, RGB8);
    run.shown[6] = NEGATIVE - 4;
    expect_at(&run, none);
}

/* OUT is a line of its own frame, and nearer to a line of others only by a little grain. */
Test(hints_timeline, a_little_grain_is_no_reason)
{
    const char *expected[FRAMES] = {NULL};
    struct run run = run_of(FLICKER, GRAIN_ONCE, GREY8);
    for (int i = 0; i < FRAMES; i++) expected[i] = "gain grey 0.800";
    expect_at(&run, expected);
}
