/* Times of frames: where the containers of REF and OUT disagree about how long it is from one frame
 * to the next, so that a frame is missing in one of them, or its rate varies. */
#ifndef SSIMCU_QA_TIMES_H
#define SSIMCU_QA_TIMES_H

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
    /* What times_finish finds: places where a side lacks frames by its times, and how many such
     * there are, of which the first are kept. */
    struct times_gap {
        int64_t frame; /* the frame behind the gap */
        int side;      /* the side that lacks frames: 0 REF, 1 OUT */
        int64_t frames;
    } gap[TIMES_NAMED];
    uint64_t gaps;
};

/* Adds the times of a pair. Returns false if memory runs out. */
bool times_add(struct times *times, int64_t frame, double ref, double out);

/* Finds the gaps. Frames that follow each other are compared: a gap is a step of one side that is
 * longer than the usual one by half of it, and longer than that of the other side. A side without
 * times counts as regular. */
void times_finish(struct times *times);

void times_free(struct times *times);

#endif
