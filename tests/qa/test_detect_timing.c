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
