/* The rules of a shot for pixels, and for held and foreign frames. Each is held at its bound, where
 * a frame is just a fault, and just not. */
#include "detect_numbers.h"

enum { COUNT = 48, AT = 20, ENDS = 3 };

/* ---- Frames that are held -------------------------------------------------------------------- */

/* Makes frames with these steps, and returns whether the frame before the last is held. */
static bool is_held(const double *step, size_t steps)
{
    struct shot shot;
    make_moving(&shot, steps + 1);
    for (size_t i = 0; i < steps; i++) shot.frame[i + 1].step[0] = step[i];
    recurring_pixels(&shot);
    const bool held = shot.frame[steps - 1].is_hold;
    shot_free(&shot);
    return held;
}

/* The last two steps are below a tenth of the middle one of eight. */
Test(detect_recurring, held_frames_of_a_shot_that_moves)
{
    static const struct {
        double last[2];
        size_t steps;
        bool held;
    } rows[] = {{{0.049, 0.049}, 8, true},
                {{0.051, 0.049}, 8, false},
                {{0.049, 0.051}, 8, false},
                {{0.05, 0.05}, 8, false},
                {{0.001, 0.001}, 7, false}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        double step[8] = {0.6, 0.3, 0.8, 0.5, 0.7, 0.4};
        memcpy(step + rows[r].steps - 2, rows[r].last, sizeof rows[r].last);
        cr_expect_eq(is_held(step, rows[r].steps), rows[r].held, "row %zu", r);
    }
}

/* A twentieth of the steps of a shot of held frames shows what a codec changes. */
Test(detect_recurring, held_frames_of_a_shot_that_stands)
{
    static const struct {
        double middle, large, last;
        size_t steps, count; /* so many are large */
        bool held;
    } rows[] = {{0.001, 0.11, 0.019, 20, 2, true},  {0.001, 0.11, 0.021, 20, 2, false},
                {0.001, 0.11, 0.019, 20, 1, false}, {0.001, 0.1, 0.019, 20, 2, false},
                {0.001, 0.11, 0.019, 40, 3, true},  {0.001, 0.11, 0.019, 40, 2, false},
                {0.02, 0.11, 0.0019, 20, 2, true},  {0.02, 0.11, 0.0021, 20, 2, false},
                {0.0199, 0.11, 0.0021, 20, 2, true}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        double step[40];
        for (size_t i = 0; i < rows[r].steps; i++)
            step[i] = i < rows[r].count        ? rows[r].large
                      : i + 2 >= rows[r].steps ? rows[r].last
                                               : rows[r].middle;
        cr_expect_eq(is_held(step, rows[r].steps), rows[r].held, "row %zu", r);
    }
}

/* ---- Pixels ---------------------------------------------------------------------------------- */

/* All pixels stand out by 4 levels, so that lonely ones may by 35: 1.25 * 4 + 30. */
static void make_pixel(struct shot *shot)
{
    make_moving(shot, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        shot->frame[i].beyond = 4;
        shot->frame[i].pixel = (struct stats_pixel){40 * (uint32_t)(i % 12) + 20, 200, 0};
    }
    shot->frame[AT].beyond = 36;
    shot->frame[AT].pixel = (struct stats_pixel){300, 100, 40 * LEVEL};
}

Test(detect_recurring, pixels_at_each_bound)
{
    static const struct row rows[] = {
        ROW(AT, beyond, 35.01, 35),      ROW(AT, changes, false, true),
        ROW(AT, judged, SKIPPED, false), ROW(AT, outer, SKIPPED, true),
        ROW(AT, pixel.x, 1, 0),          ROW(AT, pixel.x, WIDE - 2, WIDE - 1),
        ROW(AT, pixel.y, 1, 0),          ROW(AT, pixel.y, HIGH - 2, HIGH - 1),
    };
    EXPECT_ROWS(rows, make_pixel, recurring_pixels, FINDING_OUTLIER_PIXEL, AT);
}

static void make_outer(struct shot *shot)
{
    make_pixel(shot);
    shot->frame[AT].outer = true;
    shot->frame[AT].beyond = 57;
}

Test(detect_recurring, pixels_of_outer_frames)
{
    static const struct row rows[] = {ROW(AT, beyond, 56.01, 56)};
    EXPECT_ROWS(rows, make_outer, recurring_pixels, FINDING_OUTLIER_PIXEL, AT);
}

/* Another frame has a pixel that stands out half as much as may be, at a place not far away. */
Test(detect_recurring, pixels_that_come_again)
{
    static const struct {
        size_t at;
        int right, down;
        double beyond;
        bool usual;
    } rows[] = {{AT - 16, 16, -16, 17.6, true}, {AT - 16, 16, -16, 17.5, false},
                {AT - 16, 17, 0, 17.6, false},  {AT - 16, 0, -17, 17.6, false},
                {AT + 16, -16, 16, 17.6, true}, {AT + 17, -16, 0, 17.6, false},
                {AT - 17, 0, 16, 17.6, false},  {AT - 17, 3, -3, 17.6, true},
                {AT + 17, 4, 0, 17.6, false},   {AT + 17, 0, 4, 17.6, false},
                {0, -3, 3, 17.6, true},         {COUNT - 1, -3, 3, 17.6, true}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (int judged = 0; judged < 2; judged++) {
            struct shot shot;
            make_pixel(&shot);
            struct shot_frame *other = &shot.frame[rows[r].at];
            other->beyond = rows[r].beyond, other->judged = judged;
            other->pixel.x = (uint32_t)(300 + rows[r].right);
            other->pixel.y = (uint32_t)(100 + rows[r].down);
            recurring_pixels(&shot);
            cr_expect_eq(has(&shot, AT, FINDING_OUTLIER_PIXEL), !(rows[r].usual && judged),
                         "row %zu, %d", r, judged);
            shot_free(&shot);
        }
}

/* Two frames nearby have pixels that stand out half as much, anywhere. */
Test(detect_recurring, pixels_in_company)
{
    static const struct {
        size_t at[2];
        double beyond;
        bool usual;
    } rows[] = {{{AT - 16, AT + 16}, 18.1, true},  {{AT - 16, AT + 16}, 18, false},
                {{AT - 17, AT + 16}, 18.1, false}, {{AT - 16, AT + 17}, 18.1, false},
                {{AT - 1, AT - 1}, 18.1, false},   {{AT + 1, AT + 2}, 18.1, true}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct shot shot;
        make_pixel(&shot);
        for (int k = 0; k < 2; k++) shot.frame[rows[r].at[k]].beyond = rows[r].beyond;
        recurring_pixels(&shot);
        cr_expect_eq(has(&shot, AT, FINDING_OUTLIER_PIXEL), !rows[r].usual, "row %zu", r);
        shot_free(&shot);
    }
}

/* Neighbours of another scene on both sides prove nothing. Usual steps are of one, three or ten
 * levels. */
Test(detect_recurring, pixels_between_two_cuts)
{
    static const struct {
        size_t at;
        double usual, in, out;
        bool cut;
    } rows[] = {
        {AT, 1, 5.1, 5.1, true},        {AT, 1, 5, 5.1, false},         {AT, 1, 5.1, 5, false},
        {AT, 3, 12.1, 12.1, true},      {AT, 3, 11.9, 12.1, false},     {AT, 10, 20.1, 20.1, true},
        {AT, 10, 19.9, 20.1, false},    {0, 1, NAN, 5.1, true},         {0, 1, NAN, 4.9, false},
        {COUNT - 1, 1, 5.1, NAN, true}, {COUNT - 1, 1, 4.9, NAN, false}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct shot shot;
        const size_t at = rows[r].at;
        make_pixel(&shot);
        for (size_t i = 1; i < COUNT; i++) shot.frame[i].step[0] = rows[r].usual;
        shot.frame[AT].beyond = 4;
        shot.frame[at].beyond = 36, shot.frame[at].pixel.y = 300;
        shot.frame[at].step[0] = rows[r].in;
        if (at + 1 < COUNT) shot.frame[at + 1].step[0] = rows[r].out;
        recurring_pixels(&shot);
        cr_expect_eq(has(&shot, at, FINDING_OUTLIER_PIXEL), !rows[r].cut, "row %zu", r);
        shot_free(&shot);
    }
}

/* Judges frames whose pixels stand out by 0, 1, 2 and so on. The middle one of 16 does by 8, and a
 * quarter by 12 or more: a lonely one may by 1.25 * (11 + 4 * 3) + 28. */
Test(detect_recurring, pixels_of_shots_that_vary)
{
    static const struct {
        size_t count;
        double beyond;
        bool found;
    } rows[] = {
        {16, 56.8, true}, {16, 56.7, false}, {10, 46.8, true}, {10, 46.7, false}, {9, 500, false}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct shot shot;
        const size_t count = rows[r].count;
        make_moving(&shot, count);
        for (size_t i = 0; i < count; i++) {
            shot.frame[i].beyond = (double)(4 * i % (count - 1)); /* they are 0 to count - 2 */
            shot.frame[i].pixel = (struct stats_pixel){40 + 40 * (uint32_t)i, 40, 5 * LEVEL};
        }
        shot.frame[count - 1].beyond = rows[r].beyond;
        recurring_pixels(&shot);
        cr_expect_eq(count_found(&shot, FINDING_OUTLIER_PIXEL), rows[r].found, "row %zu", r);
        shot_free(&shot);
    }
}

/* Pixels of two frames of twenty may be faults. Those of three recur. */
Test(detect_recurring, pixels_of_a_tenth)
{
    static const size_t places[ENDS] = {0, 10, 19};
    for (size_t pixels = 2; pixels <= 3; pixels++) {
        struct shot shot;
        make_moving(&shot, 20);
        for (size_t i = 0; i < pixels; i++) {
            struct shot_frame *frame = &shot.frame[places[pixels == 2 ? 2 * i : i]];
            frame->beyond = 99;
            frame->pixel = (struct stats_pixel){100 + 100 * (uint32_t)i, 40, 5 * LEVEL};
        }
        recurring_pixels(&shot);
        cr_expect_eq(count_found(&shot, FINDING_OUTLIER_PIXEL), pixels == 2 ? 2 : 0);
        shot_free(&shot);
    }
}

/* Held frames have other pixels than moving ones: each kind has its own limit. */
Test(detect_recurring, pixels_of_held_frames)
{
    static const struct {
        double of_held, of_moving, limit;
    } rows[] = {{30, 4, 33}, {1, 40, 29.25}};
    for (int held = 0; held < 2; held++)
        for (int over = 0; over < 2; over++) {
            struct shot shot;
            const size_t at = held ? 2 : 38;
            make_moving(&shot, 40);
            for (uint32_t i = 0; i < 40; i++) {
                struct shot_frame *frame = &shot.frame[i];
                if (i > 0 && i < 20) frame->step[0] = 0;
                frame->beyond = i < 19 ? rows[held].of_held : rows[held].of_moving;
                frame->pixel = (struct stats_pixel){20 + 12 * i, i == at ? 300 : 20, 1};
            }
            shot.frame[at].beyond = rows[held].limit + (over ? 0.1 : -0.1);
            recurring_pixels(&shot);
            cr_expect_eq(shot.frame[at].is_hold, held);
            cr_expect_eq(has(&shot, at, FINDING_OUTLIER_PIXEL), over, "%d, %d", held, over);
            shot_free(&shot);
        }
}

/* What a finding says, in levels of each type, and what explains it. */
Test(detect_recurring, what_a_pixel_says)
{
    static const struct {
        uint32_t bits;
        int16_t by;
        const char *says;
    } rows[] = {{8, 40 * 128, "brighter than its neighbours by 40 levels"},
                {16, -40 * 129, "darker than its neighbours by 40 levels"},
                {SSIMCU_BITS_F32, 40 * 40, "brighter than its neighbours by 40 levels"}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct shot shot;
        make_pixel(&shot);
        shot.frame[AT].bits = rows[r].bits, shot.frame[AT].pixel.by = rows[r].by;
        recurring_pixels(&shot);
        cr_assert_eq(shot.frame[AT].found.count, 1);
        const struct finding *found = &shot.frame[AT].found.at[0];
        cr_expect(strstr(found->text, rows[r].says), "%s", found->text);
        cr_expect(fabs(found->value - 40) < 0.5);
        cr_expect(found->place.x == 300 && found->place.y == 100 && found->place.width == 1 &&
                  found->place.height == 1);
        shot_free(&shot);
    }
}

Test(detect_recurring, what_explains_a_pixel)
{
    static const struct {
        enum finding_kind kind;
        struct finding_place place;
        bool explains;
    } rows[] = {{FINDING_GARBAGE, {0, 0, 1, 1}, true},
                {FINDING_STALE_AREA, {290, 90, 20, 20}, false},
                {FINDING_FLAT_AREA, {290, 90, 10, 10}, true},
                {FINDING_FLAT_AREA, {290, 90, 9, 20}, false},
                {FINDING_FLAT_AREA, {290, 90, 20, 9}, false},
                {FINDING_FLAT_AREA, {301, 101, 8, 8}, true},
                {FINDING_FLAT_AREA, {302, 99, 8, 8}, false},
                {FINDING_FLAT_AREA, {299, 102, 8, 8}, false}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (int last = 0; last < 2; last++) {
            struct shot shot;
            make_pixel(&shot);
            struct findings *list = &shot.frame[AT].found;
            if (last) findings_add(list, FINDING_ALPHA, rows[r].place, 0, "first");
            findings_add(list, rows[r].kind, rows[r].place, 0, "damage");
            if (!last) findings_add(list, FINDING_ALPHA, rows[r].place, 0, "last");
            recurring_pixels(&shot);
            cr_expect_eq(has(&shot, AT, FINDING_OUTLIER_PIXEL), !rows[r].explains, "row %zu", r);
            shot_free(&shot);
        }
}

/* ---- Foreign frames -------------------------------------------------------------------------- */

static void make_foreign(struct shot *shot)
{
    make_moving(shot, COUNT);
    shot->frame[AT].outlier = 0.9;
    shot->frame[AT].step[0] = shot->frame[AT + 1].step[0] = 5;
}

Test(detect_recurring, foreign_frames_at_each_bound)
{
    static const struct row rows[] = {
        ROW(AT, outlier, 0.041, 0.04),
        ROW(AT, step[0], 2.9, 2.8), /* 1.4 times the distance of the frames beside it */
        ROW(AT + 1, step[0], 2.9, 2.8),
        ROW(AT + 1, step[1], 3.5, 3.6),
    };
    EXPECT_ROWS(rows, make_foreign, recurring_foreign, FINDING_FOREIGN_FRAME, AT);
}

/* The same between frames that are alike. */
static void make_near_foreign(struct shot *shot)
{
    make_foreign(shot);
    shot->frame[AT + 1].step[1] = 0.1;
}
static void make_still_foreign(struct shot *shot)
{
    make_near_foreign(shot);
    for (size_t i = 1; i < COUNT; i++)
        if (i != AT && i != AT + 1) shot->frame[i].step[0] = 0.1;
}

Test(detect_recurring, foreign_frames_that_are_near)
{
    static const struct row usual[] = {ROW(AT, step[0], 1.61, 1.6),
                                       ROW(AT + 1, step[0], 1.61, 1.6)},
                            far[] = {ROW(AT, step[0], 0.51, 0.5), ROW(AT + 1, step[0], 0.51, 0.5)};
    EXPECT_ROWS(usual, make_near_foreign, recurring_foreign, FINDING_FOREIGN_FRAME, AT);
    EXPECT_ROWS(far, make_still_foreign, recurring_foreign, FINDING_FOREIGN_FRAME, AT);
}

/* Others are at most five frames away, or have a part like it in three frames of the shot. */
Test(detect_recurring, foreign_frames_with_others)
{
    static const struct {
        size_t at[3]; /* the same once more: there are fewer */
        double first, others;
        size_t found;
    } rows[] = {
        {{AT + 5, AT + 5, AT + 5}, 0.9, 0.9, 0},      {{AT + 6, AT + 6, AT + 6}, 0.9, 0.9, 2},
        {{AT - 5, AT - 5, AT - 5}, 0.9, 0.9, 0},      {{AT - 6, AT - 6, AT - 6}, 0.9, 0.9, 2},
        {{AT - 15, AT + 15, AT + 15}, 0.9, 0.9, 3},   {{AT - 15, AT + 15, AT + 15}, 0.49, 0.49, 0},
        {{AT - 15, AT - 15, AT - 15}, 0.49, 0.49, 2}, {{AT - 15, AT + 15, AT + 15}, 0.5, 0.49, 3},
        {{AT - 15, AT + 15, AT + 15}, 0.49, 0.5, 3},  {{1, COUNT - 2, COUNT - 2}, 0.49, 0.49, 0},
        {{1, COUNT - 2, COUNT - 2}, 0.9, 0.9, 3},     {{AT - 15, AT + 15, AT + 24}, 0.5, 0.49, 1}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct shot shot;
        make_foreign(&shot);
        shot.frame[AT].outlier = rows[r].first;
        for (int k = 0; k < 3; k++) {
            struct shot_frame *frame = &shot.frame[rows[r].at[k]];
            frame->outlier = rows[r].others, frame[0].step[0] = frame[1].step[0] = 5;
        }
        recurring_foreign(&shot);
        cr_expect_eq(count_found(&shot, FINDING_FOREIGN_FRAME), rows[r].found, "row %zu: %zu", r,
                     count_found(&shot, FINDING_FOREIGN_FRAME));
        shot_free(&shot);
    }
}

Test(detect_recurring, what_a_foreign_frame_says)
{
    struct shot shot;
    make_foreign(&shot);
    recurring_foreign(&shot);
    cr_assert_eq(shot.frame[AT].found.count, 1);
    cr_expect_eq(shot.frame[AT].found.at[0].value, 0.9);
    cr_expect(strstr(shot.frame[AT].found.at[0].text, "in 90 % of the tiles"));
    shot_free(&shot);
}

/* A tenth of the frames may be foreign. */
Test(detect_recurring, foreign_frames_of_a_tenth)
{
    for (size_t count = 19; count <= 20; count++) {
        struct shot shot;
        make_moving(&shot, count);
        for (size_t i = 4; i <= 12; i += 8) {
            shot.frame[i].outlier = 0.9;
            shot.frame[i].step[0] = shot.frame[i + 1].step[0] = 5;
        }
        recurring_foreign(&shot);
        cr_expect_eq(count_found(&shot, FINDING_FOREIGN_FRAME), count == 20 ? 2 : 0, "%zu", count);
        shot_free(&shot);
    }
}
