/* What a shot takes of each frame, and how it compares it with those before. */
#include "detect_shot.h"

enum { ACROSS = 8, DOWN = 4, CELLS = ACROSS * DOWN, LEVEL = 100 };

/* Makes the numbers of a frame whose cells have a texture of so many levels, and a light. */
static struct frame_stats *cells(int light, int texture)
{
    struct frame_stats *stats = malloc(sizeof *stats);
    *stats = (struct frame_stats){.width = ACROSS * 8,
                                  .height = DOWN * 8,
                                  .channels = 3,
                                  .bits = 8,
                                  .level = LEVEL,
                                  .across = ACROSS,
                                  .down = DOWN,
                                  .flat = texture == 0};
    stats->mean = calloc(CELLS, sizeof *stats->mean);
    stats->step = calloc(CELLS, sizeof *stats->step);
    stats->print = calloc(CELLS, sizeof *stats->print);
    stats->rough = calloc(DOWN * 8, sizeof *stats->rough);
    stats->patches = (struct patches){.cells_across = ACROSS, .cells_down = DOWN};
    stats->patches.second = calloc(CELLS, sizeof *stats->patches.second);
    for (int i = 0; i < CELLS; i++) {
        stats->mean[i] = (int16_t)(light + (i % 2 ? texture : 0));
        stats->print[i] = (uint32_t)rand();
    }
    return stats;
}

static void take(struct shot *shot, struct frame_stats *stats)
{
    shot_add(shot, (int64_t)shot->count, "x.png", stats ? NULL : "x.png: truncated", stats);
}

/* ---- A frame by itself ----------------------------------------------------------------------- */

Test(detect_taken, numbers_that_are_no_light)
{
    static const struct {
        uint64_t infinite, negative;
        const char *texts[2];
    } rows[] = {{1, 0, {"1 sample is NaN or infinite"}},
                {2, 0, {"2 samples are NaN or infinite"}},
                {0, 1, {"1 sample is below 0"}},
                {0, 3, {"3 samples are below 0"}},
                {5, 6, {"5 samples are NaN or infinite", "6 samples are below 0"}},
                {0, 0, {NULL}}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct shot shot = {.numbered = true};
        struct frame_stats *stats = cells(0, 500);
        stats->infinite = rows[r].infinite, stats->negative = rows[r].negative;
        stats->infinite_x = 1, stats->infinite_y = 2, stats->negative_x = 3, stats->negative_y = 4;
        take(&shot, stats);
        const struct findings *list = &shot.frame[0].found;
        cr_assert_eq(list->count, !!rows[r].infinite + !!rows[r].negative);
        for (size_t i = 0; i < list->count; i++) {
            const struct finding *found = &list->at[i];
            const bool nan = found->kind == FINDING_NAN;
            cr_expect_str_eq(found->text, rows[r].texts[i]);
            cr_expect(nan || found->kind == FINDING_NEGATIVE);
            cr_expect_eq(found->value, (double)(nan ? rows[r].infinite : rows[r].negative));
            cr_expect(found->place.x == (nan ? 1 : 3) && found->place.y == (nan ? 2 : 4) &&
                      found->place.width == 1 && found->place.height == 1);
        }
        shot_free(&shot);
    }
}

Test(detect_taken, what_is_noted)
{
    struct shot shot = {.numbered = true};
    struct frame_stats *stats = cells(0, 500);
    stats->width = 64, stats->height = 33, stats->channels = 4, stats->bits = 16;
    stats->alpha = STATS_FULL;
    stats->colours = (struct colours){.known = true, .video = true};
    for (int c = 0; c < COLOURS; c++) {
        stats->colours.high[c] = (float)(c == 1);
        for (int i = 0; i < COLOURS_TILES; i++)
            stats->colours.mean[c][i] = (float)(10 * c + 2 * (i % 2) * (c + 1));
        for (int i = 0; i < COLOURS_SHARES - 1; i++)
            stats->colours.between[c][i] = (float)((c + 2) * (i + 5));
    }
    take(&shot, stats);
    const struct shot_frame *frame = &shot.frame[0];
    cr_expect(frame->read && !frame->flat && frame->alpha == STATS_FULL && frame->width == 64);
    cr_expect(frame->height == 33 && frame->channels == 4 && frame->bits == 16);
    cr_expect(frame->colours.known && frame->colours.video && frame->colours.power == 1);
    cr_expect_eq(frame->colours.constant, 5);
    cr_expect_float_eq(frame->colours.chroma, 22, 1e-4);
    for (int c = 0; c < COLOURS; c++) {
        cr_expect_float_eq(frame->colours.spread[c], 14.0F * ((float)c + 2), 1e-4);
        cr_expect_float_eq(frame->colours.mean[c], 11 * (float)c + 1, 1e-4);
    }
    shot_free(&shot);
}

Test(detect_taken, frames_that_cannot_be_read)
{
    struct shot shot = {.numbered = true};
    take(&shot, NULL);
    shot_add(&shot, 7, NULL, "other.png: damaged", NULL);
    const struct finding *found = &shot.frame[0].found.at[0];
    cr_expect(!shot.frame[0].read && shot.frame[0].found.count == 1);
    cr_expect_eq(found->kind, FINDING_UNREADABLE);
    cr_expect_str_eq(found->text, "truncated");
    cr_expect_str_eq(shot.frame[0].path, "x.png");
    cr_expect(shot.frame[1].number == 7 && !shot.frame[1].path);
    cr_expect_eq(shot.frame[1].found.count, 1);
    cr_expect(isnan(shot.frame[0].step[0]) && isnan(shot.frame[0].step[1]) &&
              isnan(shot.frame[0].time));
    shot_free(&shot);
}

/* ---- Frames and those before ----------------------------------------------------------------- */

/* Steps are those from the last frames that could be read. */
Test(detect_taken, steps)
{
    static const int lights[] = {100, 300, -1, 1000, 1000, -1, -1, 900};
    static const double steps[][2] = {{NAN, NAN}, {2, NAN},   {NAN, NAN}, {7, 9},
                                      {0, 7},     {NAN, NAN}, {NAN, NAN}, {1, 1}};
    struct shot shot = {.numbered = true};
    for (int i = 0; i < 8; i++) take(&shot, lights[i] < 0 ? NULL : cells(lights[i], 500));
    for (int i = 0; i < 8; i++)
        for (int back = 0; back < 2; back++) {
            const double own = shot.frame[i].step[back], want = steps[i][back];
            cr_expect(isnan(want) ? isnan(own) : fabs(own - want) < 1e-9, "frame %d: %g", i, own);
        }
    shot_free(&shot);
}

/* Frames with the same cells are the same if their rows and steps are, up to the last. */
Test(detect_taken, frames_that_are_the_same)
{
    for (int row = 0; row < 6; row++) {
        struct shot shot = {.numbered = true};
        struct frame_stats *stats = cells(100, 500);
        take(&shot, cells(100, 500));
        if (row == 1) stats->rough[0] = 1;
        if (row == 2) stats->rough[DOWN * 8 - 1] = 1;
        if (row == 3) stats->step[0] = 1;
        if (row == 4) stats->step[CELLS - 1] = 1;
        if (row == 5) stats->mean[CELLS - 1]++;
        take(&shot, stats);
        cr_expect_eq(shot.frame[1].same, row == 0, "row %d", row);
        cr_expect(!shot.frame[0].same);
        shot_free(&shot);
    }
}

/* A scene goes on behind solid frames if the step to them was 4 levels. It was no fade, whose steps
 * grow by less than 1.5 times. The scene comes back to half of that step. */
Test(detect_taken, scenes_around_solid_frames)
{
    static const struct {
        int before, last, solid, next, texture; /* lights, and the texture of the next frame */
        size_t count;                           /* so many frames are solid */
        bool unread, same;
    } rows[] = {
        {1000, 1000, 599, 1000, 500, 1, false, true}, {1000, 1000, 850, 1000, 500, 1, false, false},
        {1000, 1000, 849, 1000, 500, 1, false, true}, {700, 1000, 800, 1000, 500, 1, false, true},
        {700, 1000, 801, 1000, 500, 1, false, false}, {1000, 1000, 50, 1598, 500, 1, false, true},
        {1000, 1000, 50, 1600, 500, 1, false, false}, {1000, 1000, 50, 1000, 500, 3, false, true},
        {1000, 1000, 50, 1000, 500, 2, true, true},   {1000, 1000, 50, 1000, -500, 1, false, true}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct shot shot = {.numbered = true};
        take(&shot, cells(rows[r].before, 500));
        take(&shot, cells(rows[r].last, 500));
        for (size_t i = 0; i < rows[r].count; i++) take(&shot, cells(rows[r].solid, 0));
        if (rows[r].unread) take(&shot, NULL);
        take(&shot, cells(rows[r].next, rows[r].texture));
        take(&shot, cells(rows[r].next, rows[r].texture));
        const size_t at = shot.count - 2;
        cr_expect_eq(shot.frame[at].same_scene, rows[r].same, "row %zu", r);
        cr_expect(!shot.frame[at + 1].same_scene && !shot.frame[1].same_scene, "row %zu", r);
        shot_free(&shot);
    }
}

/* Solid frames at the begin of a shot have no scene before them. */
Test(detect_taken, solid_frames_first)
{
    struct shot shot = {.numbered = true};
    take(&shot, cells(50, 0));
    for (int i = 0; i < 3; i++) take(&shot, cells(1000, 500));
    for (size_t i = 0; i < shot.count; i++) cr_expect(!shot.frame[i].same_scene);
    shot_free(&shot);
}

/* Frames of a codec have no stale areas. Solid frames, and those next to other sizes, are not
 * judged. */
Test(detect_taken, frames_that_are_not_judged)
{
    for (int row = 0; row < 5; row++) {
        struct shot shot = {.numbered = true};
        for (int i = 0; i < 5; i++) {
            struct frame_stats *stats = cells(1000, 500);
            if (row == 1 && i == 2) stats->flat = true;
            if (row == 2 && i == 2) stats->bits = 16;
            for (int k = 0; k < CELLS; k++) {
                stats->patches.second[k] = 100;
                if (i == 2) stats->print[k] = (uint32_t)k + 1;
                if (i == 3 && k % ACROSS < 4) stats->print[k] = (uint32_t)k + 1;
            }
            if (row == 3) stats->tolerance = 2;
            take(&shot, stats);
        }
        if (row != 4) shot_judge(&shot);
        for (int i = 0; i < 5; i++) {
            const bool near = abs(i - 2) < 2 || i == 0 || i == 4; /* outer frames have two */
            const bool judged = row == 1 ? i != 2 : row == 2 ? !near : row != 4 || i < 4;
            cr_expect_eq(shot.frame[i].judged, judged, "row %d, frame %d", row, i);
            if (judged) cr_expect_eq(shot.frame[i].outer, i == 0 || i == 4, "frame %d", i);
        }
        cr_expect_eq(shot.frame[3].stale.cells, row == 3 ? 0 : 16, "row %d", row);
        shot_free(&shot);
    }
}

/* A frame has four rows and four cells of garbage. Another light explains the rows, and makes the
 * cells 2.5 times as rough. If the others have no texture at all, an outer frame is another
 * picture. */
Test(detect_taken, garbage_in_another_light)
{
    static const struct {
        int light, texture; /* the frame's light, and the others' texture */
        size_t at, rows;
        double times;
    } rows[] = {{1000, 500, 0, 1, 22},  {1000, 500, 2, 1, 22}, {1500, 500, 0, 0, 8.8},
                {1500, 500, 2, 0, 8.8}, {1000, 100, 0, 0, 0},  {1000, 100, 2, 1, 22}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct shot shot = {.numbered = true};
        for (size_t i = 0; i < 4; i++) {
            const bool at = i == rows[r].at;
            struct frame_stats *stats =
                at ? cells(rows[r].light, 500) : cells(1000, rows[r].texture);
            for (int y = 0; y < 8 * DOWN; y++)
                stats->rough[y] = at && y >= 20 && y < 24 ? 2000 : 64;
            for (int k = 0; k < 4 && at; k++)
                stats->patches.second[9 + k % 2 + k / 2 * ACROSS] = 400;
            take(&shot, stats);
        }
        const struct shot_frame *frame = &shot.frame[rows[r].at];
        cr_expect_eq(frame->found.count, rows[r].rows, "row %zu: %zu", r, frame->found.count);
        cr_expect_float_eq(frame->garbage.times, rows[r].times, 1e-9, "row %zu: %g", r,
                           frame->garbage.times);
        cr_expect_eq(frame->judged, true);
        shot_free(&shot);
    }
}
