/* How far the frames of a shot usually are from each other. */
#include "detect/shot.h"

#include "base/statistics.h"

#include <math.h>
#include <stdlib.h>

enum { LEAST = 8 /* frames needed to know what is usual */ };

double shot_usual_step(const struct shot *shot, size_t at)
{
    enum { REACH = 16 };
    double steps[2 * REACH + 1];
    size_t count = 0;
    for (size_t i = at > REACH ? at - REACH : 1; i <= at + REACH && i < shot->count; i++)
        if (!isnan(shot->frame[i].step[0])) steps[count++] = shot->frame[i].step[0];
    qsort(steps, count, sizeof *steps, statistics_by_value);
    return count >= LEAST ? steps[count - 1 - count / 4] : INFINITY;
}
