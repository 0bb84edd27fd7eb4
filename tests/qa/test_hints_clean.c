/* No hint is wrong: 2,016 clean pairs and 300 clean sequences of whole numbers, halves and floats.
 * They take more than a minute, so a quarter is looked at unless SSIMCU_HINTS_ALL is set. */
#include "hints/hints.h"
#include "hints_find.h"
#include "hints_run.h"

#include <stdlib.h>

enum { PLACES = 84, SEQUENCES = 300 };

static int share(int all) { return getenv("SSIMCU_HINTS_ALL") ? all : all / 4; }

static double draw(uint32_t *state, double most)
{
    *state = *state * 1664525 + 1013904223;
    return (*state >> 8) * most / (1 << 24);
}

Test(hints_clean, pairs)
{
    uint32_t state = 20, hinted = 0;
    for (int place = 0; place < share(PLACES); place++) {
        const double zoom = 1 + draw(&state, 4);
        const uint32_t width = 160 + (uint32_t)draw(&state, 320), height = width * 9 / 16;
        struct image source = image_crop(draw(&state, 3800 - zoom * width),
                                         draw(&state, 2100 - zoom * height), zoom, width, height);
        for (int how = 0; how < CLEAN; how++) {
            struct image ref = image_copy(&source), out = image_copy(&source);
            const char *what = image_spoil(&ref, &out, how, (uint32_t)(100 * place + how));
            const enum kind kind = (enum kind)((place + how) % ALL_KINDS);
            struct shot a = shot_make(&ref, kind, false), b = shot_make(&out, kind, false);
            const ssimcu_score score = shot_score(&a, &b);
            struct signature signature[2];
            struct hints hints;
            analysis_both(a.plane, b.plane, a.planes, &score, &hints, signature);
            hinted += hints.count > 0;
            cr_expect_eq(hints.count, 0, "place %d, %s, kind %d: \"%s\"", place, what, (int)kind,
                         hints.text[0]);
            shot_release(&a), shot_release(&b);
            image_free(&ref), image_free(&out);
        }
        image_free(&source);
    }
    cr_assert_eq(hinted, 0, "%u of %d", hinted, share(PLACES) * CLEAN);
}

Test(hints_clean, sequences)
{
    const char *none[FRAMES] = {NULL};
    uint32_t state = 30;
    for (int i = 0; i < share(SEQUENCES); i++) {
        struct run run = run_of((enum motion)(i % MOTIONS), (enum coding)(i / MOTIONS % DIM),
                                (enum kind)(i % ALL_KINDS));
        run.x = draw(&state, 1900);
        run.y = draw(&state, 1100);
        expect_at(&run, none);
    }
}
