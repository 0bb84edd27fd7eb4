/* Times of a video's frames: gaps, steps back and another rate at the first, a middle and the last
 * place, and what is left alone: a variable rate, rounded times, and frames without neighbours. */
#include "detect_shot.h"

enum { COUNT = 40, ENDS = 3 };

#define STEP 0.04

/* Makes a shot whose frame i has the time `time[i]`. */
static void make_times(struct shot *shot, const double *time, int count)
{
    *shot = (struct shot){0};
    for (int i = 0; i < count; i++) {
        shot_add(shot, i, "x.mp4", NULL, NULL);
        shot->frame[i].time = time[i];
    }
    timing_judge(shot);
}

/* Fills regular times, to which `later` is added from frame `from` on. */
static void fill_times(double *time, int from, double later)
{
    for (int i = 0; i < COUNT; i++) time[i] = STEP * i + (i >= from ? later : 0);
}

static void expect_only(const struct shot *shot, int at, const char *text)
{
    const struct finding *found = only(shot, (size_t)at);
    cr_expect_eq(found->kind, FINDING_TIMING);
    cr_expect(strstr(found->text, text), "frame %d: %s", at, found->text);
}

Test(detect_timing, gaps)
{
    static const int places[ENDS] = {1, 20, COUNT - 1};
    for (int p = 0; p < ENDS; p++) {
        double time[COUNT];
        struct shot shot;
        fill_times(time, places[p], 3 * STEP);
        make_times(&shot, time, COUNT);
        expect_only(&shot, places[p], "3 frames are missing before it");
        cr_expect_eq(shot.frame[places[p]].found.at[0].value, 3);
        shot_free(&shot);
    }
}

/* A step is a gap from one and a half times the usual one on. */
Test(detect_timing, small_gaps)
{
    for (int gap = 0; gap < 2; gap++) {
        double time[COUNT];
        struct shot shot;
        fill_times(time, 20, STEP * (gap ? 0.6 : 0.4));
        make_times(&shot, time, COUNT);
        (void)only(&shot, gap ? 20 : SIZE_MAX);
        shot_free(&shot);
    }
}

Test(detect_timing, steps_back)
{
    static const int places[ENDS] = {1, 20, COUNT - 1};
    for (int p = 0; p < ENDS; p++)
        for (int same = 0; same < 2; same++) {
            double time[COUNT];
            struct shot shot;
            fill_times(time, places[p], same ? -STEP : -2 * STEP);
            make_times(&shot, time, COUNT);
            expect_only(&shot, places[p], same ? "the time of the previous frame" : "before that");
            shot_free(&shot);
        }
}

/* Five steps of another length are another rate; four are gaps. It may begin or end the video. */
Test(detect_timing, rates)
{
    static const int places[ENDS] = {1, 17, COUNT - 5};
    for (int p = 0; p < ENDS; p++)
        for (int few = 0; few < 2; few++) {
            const int first = places[p] + few, end = places[p] + 5;
            double time[COUNT];
            struct shot shot;
            time[0] = 0;
            for (int i = 1; i < COUNT; i++)
                time[i] = time[i - 1] + STEP * (i >= first && i < end ? 2 : 1);
            make_times(&shot, time, COUNT);
            if (!few) expect_only(&shot, first, "5 frames from here on have a rate of 12.5");
            for (int i = 0; few && i < COUNT; i++)
                cr_expect_eq(shot.frame[i].found.count, i >= first && i < end, "frame %d", i);
            shot_free(&shot);
        }
}

/* A gap in a tenth of the steps is a variable rate. */
Test(detect_timing, variable_rates)
{
    for (int every = 3; every < 14; every += 5) {
        double time[3 * COUNT] = {0};
        struct shot shot;
        size_t found = 0;
        for (int i = 1; i < 3 * COUNT; i++) time[i] = time[i - 1] + STEP * (i % every ? 1 : 2);
        make_times(&shot, time, 3 * COUNT);
        for (int i = 0; i < 3 * COUNT; i++) found += shot.frame[i].found.count;
        cr_expect_eq((int)found, every == 13 ? 3 * COUNT / every : 0, "every %d: %d", every,
                     (int)found);
        shot_free(&shot);
    }
}

/* Containers round to milliseconds. A step of 2 ms is no gap among steps of 1 ms. */
Test(detect_timing, rounded_times)
{
    double time[COUNT];
    struct shot shot;
    for (int i = 0; i < COUNT; i++) time[i] = floor(i * 1000 / 950.0) / 1000;
    make_times(&shot, time, COUNT);
    (void)only(&shot, SIZE_MAX);
    shot_free(&shot);
}

/* Frames that were not requested leave no gap in the times. Unknown times have no step. */
Test(detect_timing, steps_that_are_unknown)
{
    for (int unknown = 0; unknown < 2; unknown++) {
        double time[COUNT];
        struct shot shot = {0};
        fill_times(time, 20, unknown ? 0 : 5 * STEP);
        if (unknown) time[20] = NAN;
        for (int i = 0; i < COUNT; i++) {
            shot_add(&shot, i + (i >= 20 && !unknown ? 5 : 0), "x.mp4", NULL, NULL);
            shot.frame[i].time = time[i];
        }
        timing_judge(&shot);
        (void)only(&shot, SIZE_MAX);
        shot_free(&shot);
    }
}

/* ---- Bounds ---------------------------------------------------------------------------------- */

/* Makes times from steps, in milliseconds, and returns how many findings there are. */
static size_t count_found(const double *step, int steps)
{
    double time[3 * COUNT] = {0};
    struct shot shot;
    size_t found = 0;
    for (int i = 0; i < steps; i++) time[i + 1] = time[i] + step[i] / 1000;
    make_times(&shot, time, steps + 1);
    for (int i = 0; i <= steps; i++) found += shot.frame[i].found.count;
    shot_free(&shot);
    return found;
}

/* A rate is known from four steps, of which half are alike: they differ by a tenth at most. */
Test(detect_timing, rates_that_are_just_known)
{
    static const struct {
        double step[8];
        int steps;
        size_t found;
    } rows[] = {{{40, 40, 40, 80}, 4, 1},
                {{40, 40, 80}, 3, 0},
                {{20, 30, 35, 40, 41, 80}, 6, 0},
                {{20, 30, 39, 40, 41, 80}, 6, 1},
                {{36.1, 43.9, 40, 80}, 4, 1},
                {{20, 35, 45, 40, 80, 30}, 6, 0},
                {{30, 20, 43.9, 36.1, 40, 81}, 6, 1}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        cr_expect_eq(count_found(rows[r].step, rows[r].steps), rows[r].found, "row %zu", r);
}

/* A rate differs by more than a tenth, or by more than containers round. */
Test(detect_timing, rates_that_differ)
{
    static const struct {
        double usual, other;
        bool differs;
    } rows[] = {{40, 44.1, true}, {40, 43.9, false}, {40, 35.9, true}, {40, 36.1, false},
                {10, 12.2, true}, {10, 12, false},   {10, 7.8, true},  {10, 8, false}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        double step[COUNT];
        for (int i = 0; i < COUNT; i++) step[i] = i < 30 ? rows[r].usual : rows[r].other;
        cr_expect_eq(count_found(step, COUNT), rows[r].differs, "row %zu", r);
    }
}

/* One gap more than in a tenth of the frames is allowed: in 59 frames six, in 60 seven. */
Test(detect_timing, gaps_that_are_just_few)
{
    for (int frames = 59; frames <= 60; frames++)
        for (int gaps = 6; gaps <= 7; gaps++) {
            double step[60];
            for (int i = 0; i + 1 < frames; i++) step[i] = i % 8 == 3 && i < 8 * gaps ? 80 : 40;
            cr_expect_eq(count_found(step, frames - 1),
                         gaps == 6 || frames == 60 ? (size_t)gaps : 0, "%d gaps of %d", gaps,
                         frames);
        }
}

/* What steps say: of a gap of one frame and of two, and of a step back, at the first time and
 * later. */
Test(detect_timing, what_steps_say)
{
    static const struct {
        double step, value;
        const char *text;
    } rows[] = {
        {2 * STEP, 1, "1 frame is missing before it, by its time: 0.080 s instead of 0.040 s"},
        {3 * STEP, 2, "2 frames are missing before it, by its time: 0.120 s instead of 0.040 s"},
        {0, 0, "it has the time of the previous frame"},
        {-STEP, -STEP, "its time is 0.040 s before that of the previous frame"}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (int at = 1; at < COUNT; at += COUNT - 2) {
            double time[COUNT];
            struct shot shot;
            fill_times(time, at, rows[r].step - STEP);
            make_times(&shot, time, COUNT);
            const struct finding *found = only(&shot, (size_t)at);
            cr_expect_str_eq(found->text, rows[r].text);
            cr_expect_float_eq(found->value, rows[r].value, 1e-9);
            shot_free(&shot);
        }
}

/* Two times are enough for a step back, and one is not. */
Test(detect_timing, few_times)
{
    for (int known = 1; known <= 2; known++) {
        double time[4] = {NAN, 1, known == 2 ? 0.5 : NAN, NAN};
        struct shot shot;
        make_times(&shot, time, 4);
        (void)only(&shot, known == 2 ? 2 : SIZE_MAX);
        shot_free(&shot);
    }
}
