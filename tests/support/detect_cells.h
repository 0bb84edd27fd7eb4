/* Three frames without pictures: only the numbers of their cells, rows and pixels, which tests
 * fill. */
#ifndef SSIMCU_TEST_DETECT_CELLS_H
#define SSIMCU_TEST_DETECT_CELLS_H

#include "check.h"

#include "detect/areas.h"
#include "detect/temporal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEVEL = 100 /* codes */, NOW = 0, ONE = 1, OTHER = 2 };

struct three {
    struct frame_stats frame[3]; /* the one that is judged, and both others */
    struct temporal temporal;
    size_t cells;
};

/* Makes frames of so many cells, all 0. */
static inline void open_three(struct three *three, uint32_t across, uint32_t down)
{
    *three = (struct three){.cells = (size_t)across * down};
    three->temporal =
        (struct temporal){&three->frame[NOW], {&three->frame[ONE], &three->frame[OTHER]}, false};
    for (int f = 0; f < 3; f++) {
        struct frame_stats *frame = &three->frame[f];
        *frame = (struct frame_stats){.width = across * STATS_CELL,
                                      .height = down * STATS_CELL,
                                      .channels = 3,
                                      .bits = 8,
                                      .level = LEVEL,
                                      .across = across,
                                      .down = down};
        frame->mean = calloc(three->cells + 1, sizeof *frame->mean);
        frame->step = calloc(three->cells + 1, sizeof *frame->step);
        frame->print = calloc(three->cells + 1, sizeof *frame->print);
        frame->rough = calloc(frame->height + 1, sizeof *frame->rough);
        frame->rough[frame->height] = UINT16_MAX; /* nobody may look there */
        frame->patches =
            (struct patches){.channels = 3, .cells_across = across, .cells_down = down};
        frame->patches.second = calloc(three->cells + 1, sizeof *frame->patches.second);
        frame->patches.colour = calloc(three->cells + 1, sizeof *frame->patches.colour);
    }
}

static inline void close_three(struct three *three)
{
    for (int f = 0; f < 3; f++) frame_stats_free(&three->frame[f]);
}

#endif
