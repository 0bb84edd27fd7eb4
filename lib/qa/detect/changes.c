/* Changes of the picture of an outer frame, which has neighbours on one side. */
#include "detect/temporal.h"

#include <stdlib.h>

/* Returns whether a cell differs from both others, in which it stands still. */
static bool is_changed(const struct temporal *temporal, size_t at)
{
    const double clear = 3, still = 0.5; /* levels */
    const struct frame_stats *now = temporal->now;
    const int a = temporal->other[0]->mean[at], c = temporal->other[1]->mean[at];
    return abs(a - c) <= still * now->level && abs(now->mean[at] - a) > clear * now->level;
}

bool temporal_changes_around(const struct temporal *temporal, const struct finding_place *place)
{
    enum { INNER = 1, OUTER = 4 /* cells from the place */, FEW = 8, MORE = 3 /* times */ };
    const struct frame_stats *now = temporal->now;
    const uint32_t left = place->x / STATS_CELL, top = place->y / STATS_CELL,
                   right = (place->x + place->width - 1) / STATS_CELL,
                   bottom = (place->y + place->height - 1) / STATS_CELL;
    size_t all[2] = {0}, changed[2] = {0}; /* far from the place, and around it */
    for (uint32_t y = 0; y < now->down; y++)
        for (uint32_t x = 0; x < now->across; x++) {
            const uint32_t across = x < left    ? left - x
                                    : x > right ? x - right
                                                : 0,
                           down = y < top      ? top - y
                                  : y > bottom ? y - bottom
                                               : 0,
                           away = across > down ? across : down;
            if (away <= INNER) continue;
            all[away <= OUTER]++;
            changed[away <= OUTER] += is_changed(temporal, (size_t)y * now->across + x);
        }
    return FEW * changed[1] > all[1] && changed[1] * all[0] > MORE * changed[0] * all[1];
}
