/* Times of frames: finds where the containers of REF and OUT disagree about the interval between
 * two frames. Then a frame is missing in one of them, or its rate varies. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TIMES_NAMED = 16 };

struct times {
    struct times_row {
        int64_t frame;
        double time[2]; /* REF, OUT: seconds; NAN: unknown */
    } * row;
    size_t count, room;
    /* Results of times_finish: the first gaps, where a side lacks frames by its times, and the
     * number of all gaps. */
    struct times_gap {
        int64_t frame; /* the frame after the gap */
        int side;      /* the side that lacks frames: 0 REF, 1 OUT */
        int64_t frames;
    } gap[TIMES_NAMED];
    uint64_t gaps;
};

/* Adds the times of a pair of frames. Returns false if memory runs out. */
bool times_add(struct times *times, int64_t frame, double ref, double out);

/* Finds the gaps between consecutive frames. A gap is a step of one side that is longer than 1.5
 * usual steps. It must also exceed the other side's step by half a usual step. A side without times
 * counts as regular. */
void times_finish(struct times *times);

void times_free(struct times *times);
