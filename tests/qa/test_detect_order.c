/* The rules of a shot for frames at a wrong place, each held at its bound: repeats and swapped
 * frames. */
#include "detect_numbers.h"

enum { COUNT = 48, AT = 20 };

/* ---- Duplicates ------------------------------------------------------------------------------ */

static void make_repeat(struct shot *shot)
{
    make_moving(shot, COUNT);
    shot->frame[AT].step[0] = 0;
    shot->frame[AT].same = true;
}

Test(detect_order, repeats_at_each_bound)
{
    static const struct row rows[] = {
        ROW(AT, flat, false, true),
        ROW(AT, same, SKIPPED, false),
        ROW(AT, step[0], 0.1, 0.101),
        ROW(AT, step[0], SKIPPED, NAN),
        ROW(AT - 1, step[0], 0.2, 0.199), /* the picture comes to rest */
        ROW(AT + 1, step[0], 0.2, 0.199),
        ROW(AT - 1, step[0], 1.7, NAN), /* an event is further from both neighbours */
        ROW(AT + 1, step[0], 1.7, NAN),
    };
    EXPECT_ROWS(rows, make_repeat, recurring_duplicates, FINDING_DUPLICATE, AT);
}

static void make_event(struct shot *shot)
{
    make_repeat(shot);
    shot->frame[AT - 1].step[0] = 1.7;
    shot->frame[AT + 1].step[0] = 1.6;
}

Test(detect_order, repeats_of_an_event)
{
    static const struct row rows[] = {ROW(AT + 1, step[0], 1.6, 1.61)};
    EXPECT_ROWS(rows, make_event, recurring_duplicates, FINDING_DUPLICATE, AT);
}

/* The next step must span two frames if the bits are not those of the frame before. */
static void make_replaced(struct shot *shot)
{
    make_repeat(shot);
    shot->frame[AT].same = false;
    shot->frame[AT + 1].step[0] = 1.3;
}
static void make_replaced_video(struct shot *shot)
{
    make_replaced(shot);
    shot->frame[AT].same = true;
    shot->numbered = false;
}

Test(detect_order, repeats_that_replaced_a_frame)
{
    static const struct row rows[] = {
        ROW(AT + 1, step[0], 1.21, 1.19),
        ROW(AT - 1, step[0], 1.16, 1.18), /* 1.3 is 1.2 times 1.083 */
        ROW(AT + 2, step[0], 1.16, 1.18),
        ROW(AT + 2, step[0], NAN, SKIPPED),
    };
    EXPECT_ROWS(rows, make_replaced, recurring_duplicates, FINDING_DUPLICATE, AT);
    EXPECT_ROWS(rows, make_replaced_video, recurring_duplicates, FINDING_DUPLICATE, AT);
}

/* The last frame that can repeat another has none after the next one. */
Test(detect_order, the_last_repeat)
{
    for (int jump = 0; jump < 2; jump++) {
        struct shot shot;
        make_moving(&shot, COUNT);
        shot.frame[COUNT - 2].step[0] = 0;
        shot.frame[COUNT - 1].step[0] = jump ? 1.21 : 1.19;
        recurring_duplicates(&shot);
        cr_expect_eq(has(&shot, COUNT - 2, FINDING_DUPLICATE), jump);
        shot_free(&shot);
    }
}

/* A shot that moves less than a codec changes it has no repeats. */
Test(detect_order, repeats_of_slow_shots)
{
    for (int slow = 0; slow < 2; slow++) {
        struct shot shot;
        make_repeat(&shot);
        for (size_t i = 1; i < COUNT; i++)
            if (i != AT) shot.frame[i].step[0] = slow ? 0.099 : 0.1;
        recurring_duplicates(&shot);
        cr_expect_eq(has(&shot, AT, FINDING_DUPLICATE), !slow);
        shot_free(&shot);
    }
}

/* Two frames nearby that hardly move, by 0.15 of the least step beside the repeat. */
Test(detect_order, repeats_among_holds)
{
    static const struct {
        size_t at[2];
        double step, around;
        bool hold;
    } rows[] = {{{AT - 12, AT + 12}, 0.15, 1, true},  {{AT - 12, AT + 12}, 0.151, 1, false},
                {{AT - 13, AT + 12}, 0.15, 1, false}, {{AT - 12, AT + 13}, 0.15, 1, false},
                {{AT - 5, AT + 9}, 0.074, 0.5, true}, {{AT - 5, AT + 9}, 0.076, 0.5, false},
                {{AT - 5, AT + 5}, 0.15, 1.5, true}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (size_t beside = AT - 1; beside <= AT + 1; beside += 2) {
            struct shot shot;
            make_repeat(&shot);
            for (int k = 0; k < 2; k++) shot.frame[rows[r].at[k]].step[0] = rows[r].step;
            shot.frame[beside].step[0] = rows[r].around;
            recurring_duplicates(&shot);
            cr_expect_eq(has(&shot, AT, FINDING_DUPLICATE), !rows[r].hold, "row %zu", r);
            shot_free(&shot);
        }
}

/* Two other repeats at one distance, or within a frame of it, on any side. They are no holds, since
 * the picture moves less around this one. */
Test(detect_order, repeats_at_one_distance)
{
    static const struct {
        int by[2];
        bool regular;
    } rows[] = {{{4, 8}, true},    {{-4, 4}, true},    {{-8, -4}, true},  {{3, 6}, false},
                {{5, 11}, true},   {{5, 14}, false},   {{-5, 5}, true},   {{-5, 8}, false},
                {{-14, -7}, true}, {{-14, -5}, false}, {{-14, 14}, true}, {{12, 24}, true},
                {{13, 26}, true},  {{-9, -18}, true},  {{-3, 3}, true}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct shot shot;
        make_repeat(&shot);
        shot.frame[AT - 1].step[0] = shot.frame[AT + 1].step[0] = 0.3;
        for (int k = 0; k < 2; k++) shot.frame[AT + rows[r].by[k]].step[0] = 0.09;
        recurring_duplicates(&shot);
        cr_expect_eq(has(&shot, AT, FINDING_DUPLICATE), !rows[r].regular, "%d, %d", rows[r].by[0],
                     rows[r].by[1]);
        shot_free(&shot);
    }
}

/* A tenth of the frames may be repeats. */
Test(detect_order, repeats_of_a_tenth)
{
    for (size_t count = 19; count <= 21; count++) {
        struct shot shot;
        make_moving(&shot, count);
        for (size_t i = 5; i <= 14; i += 9) shot.frame[i].step[0] = 0, shot.frame[i].same = true;
        shot.frame[5].step[0] = 0.01;
        recurring_duplicates(&shot);
        cr_expect_eq(count_found(&shot, FINDING_DUPLICATE), count >= 20 ? 2 : 0, "%zu", count);
        if (count == 20) cr_expect_eq(shot.frame[5].found.at[0].value, 0.01);
        shot_free(&shot);
    }
}

/* ---- Swapped frames -------------------------------------------------------------------------- */

/* Makes frames that show the picture at these places, in levels. */
static void place(struct shot *shot, const double *at, size_t count)
{
    make_moving(shot, count);
    for (size_t i = 0; i < count; i++) {
        shot->frame[i].step[0] = i > 0 ? fabs(at[i] - at[i - 1]) : NAN;
        shot->frame[i].step[1] = i > 1 ? fabs(at[i] - at[i - 2]) : NAN;
    }
}

/* Frames AT and AT + 1 are swapped. */
static void make_swap(struct shot *shot)
{
    double at[COUNT];
    for (int i = 0; i < COUNT; i++) at[i] = i + (i == AT) - (i == AT + 1);
    place(shot, at, COUNT);
}

/* The first is 2 levels from the frame before and the second 1. The second is 2 from the frame
 * behind and the first 1. Both are one apart. */
Test(detect_order, swaps_at_each_bound)
{
    static const struct row rows[] = {
        ROW(AT, step[0], 1.2, 1.09),     /* further than the second */
        ROW(AT + 2, step[0], 1.2, 1.09), /* further than the first */
        ROW(AT + 1, step[0], 1.99, 2),   /* they are nearer to each other */
        ROW(AT + 1, step[0], 0.51, 0.5), /* they are two pictures */
        ROW(AT, step[0], 3.99, 4),       ROW(AT + 1, step[1], 1.8, 1.82),
        ROW(AT + 2, step[1], 1.8, 1.82), ROW(AT + 1, step[1], SKIPPED, 0),
    };
    EXPECT_ROWS(rows, make_swap, recurring_order, FINDING_FRAME_ORDER, AT);
    EXPECT_ROWS(rows, make_swap, recurring_order, FINDING_FRAME_ORDER, AT + 1);
}

/* The product of both relations counts. */
static void make_near_swap(struct shot *shot)
{
    make_swap(shot);
    shot->frame[AT].step[0] = 1.2, shot->frame[AT + 2].step[0] = 1.2;
}

Test(detect_order, swaps_by_little)
{
    static const struct row rows[] = {ROW(AT, step[0], 1.17, 1.16),
                                      ROW(AT + 2, step[0], 1.17, 1.16)};
    EXPECT_ROWS(rows, make_near_swap, recurring_order, FINDING_FRAME_ORDER, AT);
}

/* Neither is further from the frames around than two usual steps, or 20 levels. */
Test(detect_order, swaps_far_away)
{
    static const struct {
        double scale, over;
        bool found;
    } rows[] = {{1, 1.99, true}, {1, 2, false}, {15, 19.9, true}, {15, 20, false}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (int second = 0; second < 2; second++) {
            struct shot shot;
            const double over = rows[r].over;
            make_swap(&shot);
            for (size_t i = 1; i < COUNT; i++)
                shot.frame[i].step[0] *= rows[r].scale, shot.frame[i].step[1] *= rows[r].scale;
            struct shot_frame *pair = &shot.frame[AT];
            pair[1 + second].step[1] = over;
            pair[second ? 2 : 0].step[0] = 3 * over;
            if (!second) pair[1].step[0] = over;
            recurring_order(&shot);
            cr_expect_eq(has(&shot, AT, FINDING_FRAME_ORDER), rows[r].found, "%zu, %d", r, second);
            shot_free(&shot);
        }
}

/* A codec changes frames by as much as this. */
static void make_slow_swap(struct shot *shot)
{
    make_swap(shot);
    for (size_t i = 1; i < COUNT; i++)
        shot->frame[i].step[0] *= 0.12, shot->frame[i].step[1] *= 0.12;
}

Test(detect_order, swaps_of_slow_shots)
{
    static const struct row rows[] = {ROW(AT, step[0], 0.201, 0.2)};
    EXPECT_ROWS(rows, make_slow_swap, recurring_order, FINDING_FRAME_ORDER, AT);
}

/* What a pair says, at both ends of a shot and in it. */
Test(detect_order, what_a_swap_says)
{
    static const size_t places[] = {0, 1, AT, COUNT - 3, COUNT - 2};
    for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
        double at[COUNT];
        struct shot shot;
        for (size_t i = 0; i < COUNT; i++)
            at[i] = (double)i + (i == places[p]) - (i == places[p] + 1);
        place(&shot, at, COUNT);
        recurring_order(&shot);
        cr_expect_eq(count_found(&shot, FINDING_FRAME_ORDER), 2);
        for (size_t k = 0; k < 2; k++) {
            const struct findings *list = &shot.frame[places[p] + k].found;
            cr_assert_eq(list->count, 1, "place %zu", p);
            cr_expect_eq(list->at[0].value, 2, "%g", list->at[0].value);
            cr_expect(strstr(list->at[0].text, k == 0 ? "the next one" : "the previous one"));
        }
        shot_free(&shot);
    }
}

/* The outer of both has one neighbour at an end of a shot. A foreign one is further away. */
Test(detect_order, swaps_at_the_ends)
{
    for (int first = 0; first < 2; first++)
        for (int far = 0; far < 3; far++) {
            const size_t at = first ? 0 : COUNT - 2;
            double place_of[COUNT];
            struct shot shot;
            for (size_t i = 0; i < COUNT; i++) place_of[i] = (double)i + (i == at) - (i == at + 1);
            place(&shot, place_of, COUNT);
            shot.frame[at + 1].step[0] = far == 0 ? 1.66 : far == 1 ? 1.67 : 0.5;
            recurring_order(&shot);
            cr_expect_eq(has(&shot, at, FINDING_FRAME_ORDER), far == 0, "%d, %d", first, far);
            shot_free(&shot);
        }
}

/* Eight frames are enough, and two of them may be further from the frame before than the next is.
 */
Test(detect_order, swaps_of_short_shots)
{
    for (size_t count = 7; count <= 8; count++) {
        double at[8];
        struct shot shot;
        for (size_t i = 0; i < count; i++) at[i] = (double)i + (i == 3) - (i == 4);
        place(&shot, at, count);
        recurring_order(&shot);
        cr_expect_eq(has(&shot, 3, FINDING_FRAME_ORDER), count == 8);
        shot_free(&shot);
    }
}

/* Frames that are skipped in more than a tenth and two of a shot are its own motion. */
Test(detect_order, skips_that_recur)
{
    for (size_t skips = 6; skips <= 7; skips++)
        for (int more = 0; more < 2; more++) {
            struct shot shot;
            make_swap(&shot);
            for (size_t i = 1; i < skips; i++) { /* the swap is another */
                const size_t at = i < 2 ? 4 : 22 + 4 * i;
                shot.frame[at + 1].step[1] = more ? 0.9 : 0.91;
            }
            recurring_order(&shot);
            cr_expect_eq(has(&shot, AT, FINDING_FRAME_ORDER), skips == 6 || !more, "%zu, %d", skips,
                         more);
            shot_free(&shot);
        }
}

/* A pair that shares a frame with this one is no other. The next pair is one. */
Test(detect_order, swaps_beside_each_other)
{
    static const struct {
        size_t by;          /* frames to the other pair */
        double steps[4][2]; /* the frames from AT on have these */
    } rows[] = {{1, {{3, 2}, {2, 1.5}, {1.5, 1}, {1.6, 1.4}}},
                {2, {{2, 3}, {1, 1}, {3, 1.5}, {1, 1.5}}}};
    for (int r = 0; r < 2; r++) {
        struct shot shot;
        make_moving(&shot, COUNT);
        for (int i = 0; i < 4; i++)
            memcpy(shot.frame[AT + i].step, rows[r].steps[i], sizeof rows[r].steps[i]);
        shot.frame[AT + 4].step[0] = 2, shot.frame[AT + 4].step[1] = 1;
        recurring_order(&shot);
        cr_expect_eq(has(&shot, AT, FINDING_FRAME_ORDER), rows[r].by == 1, "row %d", r);
        cr_expect_eq(count_found(&shot, FINDING_FRAME_ORDER), rows[r].by == 1 ? 2 : 0);
        shot_free(&shot);
    }
}
