#include "report/html/scale.h"

#include <math.h>
#include <stdbool.h>

static const double TICKS[] = {0,     0.5,   0.8,   0.9,    0.95,   0.98,   0.99,
                               0.995, 0.998, 0.999, 0.9995, 0.9998, 0.9999, 1};
enum { TICKS_COUNT = sizeof TICKS / sizeof TICKS[0] };
_Static_assert((int)TICKS_COUNT <= (int)SCALE_TICKS, "room for all ticks");

/* All scores below 0 count as 0. 1 is as far above 0.9999 as 0.9999 is above 0.999. */
static double level(double score) { return -log10(fmin(fmax(1 - score, 1e-5), 1)); }

struct scale scale_of(double lowest, double highest)
{
    size_t first = 0, last = TICKS_COUNT - 1;
    while (first + 2 < TICKS_COUNT && TICKS[first + 1] <= lowest) first++;
    while (last > first + 1 && TICKS[last - 1] >= highest) last--;
    return (struct scale){level(TICKS[first]), level(TICKS[last]), first, last, 0};
}

struct scale scale_linear(double lowest, double highest)
{
    static const double steps[] = {0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500};
    enum { STEPS = sizeof steps / sizeof steps[0] };
    size_t k = 0;
    if (!(lowest <= highest)) lowest = highest = 0; /* no value is finite */
    while (k + 1 < STEPS && highest - lowest > steps[k] * (SCALE_TICKS - 4)) k++;
    const double low = floor(lowest / steps[k]) * steps[k],
                 high = ceil(highest / steps[k]) * steps[k];
    return (struct scale){low, high > low ? high : low + steps[k], 0, 0, steps[k]};
}

double scale_place(const struct scale *scale, double score)
{
    const double height = scale->step > 0 ? score : level(score);
    return fmin(fmax((scale->high - height) / (scale->high - scale->low), 0), 1);
}

double scale_score(const struct scale *scale, double place)
{
    const double height = scale->high - place * (scale->high - scale->low);
    return scale->step > 0 ? height : 1 - pow(10, -height);
}

size_t scale_ticks(const struct scale *scale, double apart, double chosen[SCALE_TICKS])
{
    size_t count = 0;
    for (double tick = scale->low; scale->step > 0 && count < SCALE_TICKS; tick += scale->step) {
        if (tick > scale->high + scale->step / 2) break;
        chosen[count++] = tick;
    }
    if (scale->step > 0) return count;
    for (int want = 1; want >= 0; want--)
        for (size_t i = scale->first; i <= scale->last; i++) {
            const double decades = level(TICKS[i]), place = scale_place(scale, TICKS[i]);
            const bool first =
                i == scale->first || i == scale->last || fabs(decades - round(decades)) < 1e-6;
            bool is_free = first == (want == 1);
            for (size_t k = 0; k < count && is_free; k++)
                is_free = fabs(scale_place(scale, chosen[k]) - place) >= apart;
            if (is_free) chosen[count++] = TICKS[i];
        }
    return count;
}

struct scale_classes scale_classes_of_scores(void)
{
    return (struct scale_classes){{0.8, 0.9, 0.95, 0.99, INFINITY}};
}

struct scale_classes scale_classes_of_limits(void)
{
    return (struct scale_classes){{-1, 0, 0, 0.5, INFINITY}};
}

unsigned scale_class(const struct scale_classes *classes, double score)
{
    unsigned k = 0;
    while (score >= classes->end[k]) k++;
    return k;
}
