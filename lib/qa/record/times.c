#include "record/times.h"

#include "base/results.h"
#include "base/statistics.h"

#include <math.h>
#include <stdlib.h>

bool times_add(struct times *times, int64_t frame, double ref, double out)
{
    if (isnan(out)) return true;
    if (!results_grow(&times->row, times->count, &times->room, sizeof *times->row)) return false;
    times->row[times->count++] = (struct times_row){frame, {ref, out}};
    return true;
}

void times_free(struct times *times)
{
    free(times->row);
    *times = (struct times){.row = NULL};
}

static int by_frame(const void *a, const void *b)
{
    const struct times_row *x = a, *y = b;
    return (x->frame > y->frame) - (x->frame < y->frame);
}

/* Returns the time of a side from the frame before row i; NAN: unknown, or the row before has
 * another frame.
 */
static double step_of(const struct times *times, size_t i, int side)
{
    const struct times_row *const row = &times->row[i];
    return row[0].frame == row[-1].frame + 1 ? row[0].time[side] - row[-1].time[side] : NAN;
}

/* Returns the median step of a side; NAN: none, or memory runs out. */
static double usual_step(const struct times *times, int side)
{
    size_t count = 0;
    double usual = NAN, *const step = malloc(times->count * sizeof *step);
    for (size_t i = 1; step && i < times->count; i++) {
        step[count] = step_of(times, i, side);
        count += step[count] > 0;
    }
    if (step && count > 0) {
        qsort(step, count, sizeof *step, statistics_by_value);
        usual = step[count / 2];
    }
    free(step);
    return usual;
}

static void note_gap(struct times *times, int64_t frame, int side, double steps)
{
    if (times->gaps < TIMES_NAMED)
        times->gap[times->gaps] = (struct times_gap){frame, side, llround(steps) - 1};
    times->gaps++;
}

void times_finish(struct times *times)
{
    times->gaps = 0;
    if (times->count < 3) return; /* two frames do not define a usual step */
    qsort(times->row, times->count, sizeof *times->row, by_frame);
    const double usual[2] = {usual_step(times, 0), usual_step(times, 1)};
    for (size_t i = 1; i < times->count; i++) {
        double steps[2]; /* in units of the usual step */
        for (int s = 0; s < 2; s++) {
            steps[s] = step_of(times, i, s) / usual[s];
            if (isnan(steps[s])) steps[s] = 1;
        }
        const int side = steps[1] > steps[0];
        if (steps[side] > 1.5 && steps[side] - steps[!side] > 0.5)
            note_gap(times, times->row[i].frame, side, steps[side]);
    }
}
