/* Frames that a side lacks by its times. */
#include "record/times.h"

#include <criterion/criterion.h>
#include <math.h>

/* Adds frames whose numbers begin at 0; each step is a number of usual ones, in tenths. */
static struct times times_of(const int ref[], const int out[], int count, bool backwards)
{
    struct times times = {.count = 0};
    double time[2][32] = {{0}};
    for (int i = 1; i < count; i++) {
        time[0][i] = ref ? time[0][i - 1] + ref[i] / 240.0 : NAN;
        time[1][i] = time[1][i - 1] + out[i] / 240.0;
    }
    if (!ref) time[0][0] = NAN;
    for (int i = 0; i < count; i++) {
        const int at = backwards ? count - 1 - i : i;
        cr_assert(times_add(&times, at, time[0][at], time[1][at]));
    }
    times_finish(&times);
    return times;
}

Test(times, gaps)
{
    static const int even[] = {0, 10, 10, 10, 10, 10, 10, 10},
                     one[] = {0, 10, 10, 20, 10, 10, 10, 10},
                     two[] = {0, 10, 30, 10, 10, 10, 10, 10},
                     late[] = {0, 10, 10, 16, 4, 10, 10, 10},
                     shaky[] = {0, 11, 9, 14, 6, 10, 11, 9},
                     slow[] = {0, 12, 12, 12, 12, 12, 12, 12};
    static const struct {
        const int *ref, *out;
        uint64_t gaps;
        int64_t frame;
        int side;
        int64_t frames;
    } rows[] = {{even, even, 0, 0, 0, 0},  {even, one, 1, 3, 1, 1},  {one, even, 1, 3, 0, 1},
                {one, one, 0, 0, 0, 0},    {NULL, two, 1, 2, 1, 2},  {even, late, 1, 3, 1, 1},
                {even, shaky, 0, 0, 0, 0}, {even, slow, 0, 0, 0, 0}, {one, two, 2, 2, 1, 2}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int backwards = 0; backwards < 2; backwards++) {
            struct times times = times_of(rows[i].ref, rows[i].out, 8, backwards);
            cr_assert(times.gaps == rows[i].gaps, "row %zu: %zu", i, (size_t)times.gaps);
            if (times.gaps > 0)
                cr_expect(times.gap[0].frame == rows[i].frame &&
                              times.gap[0].side == rows[i].side &&
                              times.gap[0].frames == rows[i].frames,
                          "row %zu", i);
            times_free(&times);
        }
}

/* Frames that do not follow each other, and those without a time, tell nothing. */
Test(times, what_tells_nothing)
{
    struct times times = {.count = 0};
    cr_assert(times_add(&times, 0, 0, NAN) && times.count == 0);
    const int64_t frames[] = {0, 1, 2, 10, 11};
    for (size_t i = 0; i < 5; i++)
        cr_assert(times_add(&times, frames[i], (double)frames[i], (double)frames[i]));
    times_finish(&times);
    cr_expect(times.gaps == 0);
    times_free(&times);
    for (int i = 0; i < 60; i++) cr_assert(times_add(&times, i, i, i + i / 2));
    times_finish(&times); /* every second step is twice as long: only the first gaps are kept */
    cr_expect(times.gaps <= 60);
    times_free(&times);
    cr_expect(!times.row && times.count == 0);
}
