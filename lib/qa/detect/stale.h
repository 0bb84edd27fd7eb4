/* Cells that repeat those of an earlier frame, to the bit, and no neighbour's: a bucket that a node
 * left from another frame. In grain, cells never repeat by chance. */
#pragma once

#include "detect/frame/frame_stats.h"
#include "record/finding.h"

enum { STALE_FURTHEST = 6 /* frames back that are compared */ };

/* The prints of a frame's cells, as in frame_stats.h; NULL: there is no such frame. */
struct prints {
    uint32_t across, down;
    uint32_t *cell;
};

struct stale {
    double repeats; /* share of its cells with grain that repeat the frame before */
    bool scattered; /* single cells repeat earlier ones by themselves, as a codec's do */
    size_t cells;   /* of its largest area that repeats an earlier frame; 0: none */
    unsigned back;  /* how many frames earlier */
    struct finding_place place;
};

/* Finds the largest stale area of a frame. `before`: the frame before it, and those before that.
 * Returns whether there was memory. */
bool stale_find(const struct frame_stats *now, const struct frame_stats *next,
                const struct prints before[STALE_FURTHEST], struct stale *stale);
