#include "hints_run.h"
#include "hints/hints.h"
#include "hints_find.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 240, HEIGHT = 136 };

/* Returns frame `at` of a sequence. */
static struct image scene(const struct run *run, double at)
{
    struct image image;
    const enum motion motion = run->motion;
    const double x = run->x, y = run->y;
    switch (motion) {
    case PAN:
    case PAN_AND_FADE:
        image = image_crop(x + 500 + 19 * at, y + 300 + 6 * at, 3, WIDTH, HEIGHT);
        break;
    case SLOW_PAN: image = image_crop(x + 700 + 1.5 * at, y + 300, 4, WIDTH, HEIGHT); break;
    case ZOOM: image = image_crop(x + 600, y + 300, 3 + 0.05 * at, WIDTH, HEIGHT); break;
    default: image = image_crop(x + 900, y + 200, 4, WIDTH, HEIGHT);
    }
    if (motion == FADE || motion == PAN_AND_FADE) image_scale(&image, 1 - 0.05 * at);
    if (motion == FLICKER && (int)at % 2 == 1) image_scale(&image, 0.8);
    if (motion == WALKER)
        image_fill(&image, (uint32_t)(20 + 9 * at), 50, 24, 40, (const float[3]){0.7f, 0.2f, 0.2f});
    return image;
}

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
    struct image ref = scene(run, frame), out = scene(run, source);
    struct signature signature[2];
    struct hints hints;
    code(&ref, &out, run->coding, (uint32_t)source);
    for (uint32_t c = 0; c < 3 && shown <= NEGATIVE; c++) image_line(&out, c, -1, 1);
    if (shown == -1) image_scale(&out, 0);
    struct shot a = shot_make(&ref, run->kind, false), b = shot_make(&out, run->kind, false);
    const ssimcu_score score = shot_score(&a, &b);
    analysis_both(a.plane, b.plane, a.planes, &score, &hints, signature);
    timeline_add(timeline, frame * (int64_t)run->every, shown == -2 ? NULL : signature,
                 shown == -2 ? NULL : &hints, score.score, run->text[frame]);
    shot_release(&a);
    shot_release(&b);
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

void expect_at(struct run *run, const char *const expected[FRAMES])
{
    play(run);
    for (int frame = 0; frame < FRAMES; frame++)
        cr_expect_str_eq(run->text[frame], expected[frame] ? expected[frame] : "",
                         "motion %d, coding %d, kind %d, frame %d: \"%s\", not \"%s\"", run->motion,
                         run->coding, run->kind, frame, run->text[frame],
                         expected[frame] ? expected[frame] : "");
}

struct run run_of(enum motion motion, enum coding coding, enum kind kind)
{
    struct run run = {.motion = motion, .coding = coding, .kind = kind, .every = 1};
    for (int i = 0; i < FRAMES; i++) run.shown[i] = i;
    return run;
}
