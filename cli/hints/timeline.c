#include "hints/hints.h"

enum { RING = 2 * TIMELINE_REACH + 2 };

void timeline_add(struct timeline *timeline, int64_t frame, const struct signature signature[2],
                  const struct hints *hints, double score, void *user)
{
    struct timeline_frame *entry = &timeline->ring[timeline->added++ % RING];
    (void)score;
    *entry = (struct timeline_frame){.frame = frame, .there = signature != NULL, .user = user};
    if (hints) entry->hints = *hints;
}

void *timeline_take(struct timeline *timeline, bool end, struct hints *hints)
{
    (void)end;
    if (timeline->taken == timeline->added) return NULL;
    const struct timeline_frame *entry = &timeline->ring[timeline->taken++ % RING];
    *hints = entry->hints;
    return entry->user;
}
