/* The times of a video's frames, as its container has them. */
#include "detect/shot.h"

#include "base/statistics.h"

#include <math.h>
#include <stdlib.h>

static const struct finding_place whole = {0, 0, 0, 0};

enum {
    LEAST = 4,     /* steps from which a rate is known */
    RUN = 5,       /* steps of another length that are another rate */
    GAPS_MOST = 10 /* one frame in so many; more gaps are a variable rate */
};

/* The steps between frames, and what they usually are. */
struct timing {
    struct shot *shot;
    double *step; /* time from the frame before; NAN: unknown */
    double usual, slack;
};

static bool is_close(const struct timing *timing, double step, double other)
{
    return fabs(step - other) <= timing->slack;
}

/* Measures the steps. Returns false if too few are known, or if less than half are alike. */
static bool measure(struct timing *timing)
{
    const double TICKS = 0.0021; /* seconds: containers round to milliseconds */
    const struct shot_frame *frame = timing->shot->frame;
    const size_t count = timing->shot->count;
    double *sorted = malloc(count * sizeof *sorted);
    size_t known = 0, alike = 0;
    timing->shot->out_of_memory = timing->shot->out_of_memory || !sorted;
    for (size_t i = 1; sorted && i < count; i++) {
        const bool next = frame[i].number == frame[i - 1].number + 1;
        timing->step[i] = next ? frame[i].time - frame[i - 1].time : NAN;
        if (timing->step[i] > 0) sorted[known++] = timing->step[i];
    }
    if (known > 0) {
        qsort(sorted, known, sizeof *sorted, statistics_by_value);
        timing->usual = sorted[known / 2];
        timing->slack = fmax(0.1 * timing->usual, TICKS);
    }
    for (size_t i = 0; i < known; i++) alike += is_close(timing, sorted[i], timing->usual);
    free(sorted);
    return known >= LEAST && 2 * alike >= known;
}

/* Returns the index after the steps from `at` on that are alike. */
static size_t run_end(const struct timing *timing, size_t at)
{
    size_t end = at + 1;
    while (end < timing->shot->count && is_close(timing, timing->step[end], timing->step[at]))
        end++;
    return end;
}

static void add_back(struct shot *shot, size_t at, double step)
{
    struct findings *list = &shot->frame[at].found;
    if (step < 0)
        findings_add(list, FINDING_TIMING, whole, step,
                     "its time is %.3f s before that of the previous frame", -step);
    else
        findings_add(list, FINDING_TIMING, whole, 0, "it has the time of the previous frame");
}

/* Finds what one step shows, counts it, and adds it with `add`. Returns the index of the next step
 * to look at. */
static size_t judge(const struct timing *timing, size_t at, bool add, size_t *found)
{
    struct findings *list = &timing->shot->frame[at].found;
    const double step = timing->step[at], usual = timing->usual;
    if (!(step > 0) || is_close(timing, step, usual)) return at + 1;
    const size_t end = run_end(timing, at);
    const bool rate = end - at >= RUN, gap = !rate && step > 1.5 * usual;
    *found += rate || gap;
    if (rate && add)
        findings_add(list, FINDING_TIMING, whole, 1 / step,
                     "%zu frames from here on have a rate of %.4g a second, the rest has %.4g",
                     end - at, 1 / step, 1 / usual);
    const long long lost = llround(step / usual) - 1;
    if (gap && add)
        findings_add(list, FINDING_TIMING, whole, (double)lost,
                     "%lld frame%s missing before it, by its time: %.3f s instead of %.3f s", lost,
                     lost == 1 ? " is" : "s are", step, usual);
    return rate ? end : at + 1;
}

void timing_judge(struct shot *shot)
{
    struct timing timing = {.shot = shot};
    size_t known = 0, found = 0, ignored = 0;
    for (size_t i = 0; i < shot->count; i++) known += !isnan(shot->frame[i].time);
    if (known < 2) return;
    timing.step = malloc(shot->count * sizeof *timing.step);
    shot->out_of_memory = shot->out_of_memory || !timing.step;
    const bool regular = timing.step && measure(&timing);
    for (size_t i = 1; timing.step && !shot->out_of_memory && i < shot->count; i++)
        if (timing.step[i] <= 0) add_back(shot, i, timing.step[i]);
    for (size_t i = 1; regular && i < shot->count;) i = judge(&timing, i, false, &found);
    const bool few = GAPS_MOST * found <= known + GAPS_MOST; /* else the rate is variable */
    for (size_t i = 1; regular && few && i < shot->count;) i = judge(&timing, i, true, &ignored);
    free(timing.step);
}
