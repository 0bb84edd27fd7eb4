/* Hinted frames, in runs: frames that follow each other and have the same hints are said once. */
#ifndef SSIMCU_QA_HINTED_H
#define SSIMCU_QA_HINTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct record;

enum { HINTED_RUNS = 1000 }; /* runs that are kept; frames of more are only counted */

struct hinted {
    struct hinted_run {
        char *part;          /* own; NULL: none */
        char *hints;         /* own; hints of the first frame */
        int64_t first, last; /* frames */
        uint64_t count;      /* frames that have the hints, of those from first to last */
        uint64_t bad;        /* those of them that have a fault */
        bool alike;          /* all have them to the letter, not only of the same kinds */
        bool from_start;     /* the part begins with it, or at most three frames before */
    } * run;
    size_t runs, room;
    uint64_t more;     /* frames of runs that are not kept */
    char *part;        /* own; the part of the last record */
    int64_t part_from; /* its first frame */
    bool begun, out_of_memory;
};

/* Adds a record, in the order of frames. `bad`: it has a fault. Frames of one `frame K` join as
 * long as no other hint comes between, those of other hints only if they follow each other. If
 * memory runs out, `out_of_memory` says so. */
void hinted_add(struct hinted *hinted, const struct record *record, bool bad);

void hinted_free(struct hinted *hinted);

#endif
