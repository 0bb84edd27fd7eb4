/* Runs of hinted frames: consecutive frames with the same hints are reported once. */
#pragma once

#include "record/finding.h"

struct record;

enum { HINTED_TEXT = 1024 };
enum { HINTED_RUNS = 1000 }; /* most runs that are kept; other frames are only counted */

struct hinted {
    struct hinted_run {
        char *shot;          /* owned; may be NULL */
        char *hints;         /* owned; hints of the first frame, in words */
        finding_mask kinds;  /* their kinds */
        int64_t first, last; /* frames */
        uint64_t count;      /* frames from first to last that have the hints */
        uint64_t bad;        /* those that have a fault */
        bool alike;          /* all have the same text, not only the same kinds */
        bool from_start;     /* the shot begins with it, or at most three frames earlier */
    } * run;
    size_t runs, room;
    uint64_t more;     /* frames of runs that are not kept */
    char *shot;        /* owned; the shot of the last record */
    int64_t part_from; /* its first frame */
    bool begun, out_of_memory;
};

/* Adds a record, in the order of frames. `bad`: it has a fault. Frames with the same `frame-offset
 * K` join until another hint occurs. Frames with other hints join only if they are consecutive. If
 * memory runs out, `out_of_memory` is set. */
void hinted_add(struct hinted *hinted, const struct record *record, bool bad);

void hinted_free(struct hinted *hinted);
