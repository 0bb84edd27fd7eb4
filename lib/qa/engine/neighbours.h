/* Neighbours: records in the order of frames. Each is held back until the frames after it can
 * change its hints no more, and is then handed out. The caller locks. */
#ifndef SSIMCU_QA_NEIGHBOURS_H
#define SSIMCU_QA_NEIGHBOURS_H

#include "hints/hints.h"

struct record;

struct neighbours {
    /* Gets each record and whether an earlier run has made it. Returns false to take no more. */
    bool (*take)(void *user, const struct record *record, bool known);
    void *user;
    bool sequence;  /* frames follow each other, so neighbours can explain them */
    bool in_shares; /* neighbours are in other shares: records keep their findings for the merge */
    bool keeps;     /* records keep their findings for a run that goes on with the results */
    bool closed;    /* no more records are handed out */
    struct timeline timeline;
    struct neighbour {
        struct record *record;
        struct findings *findings; /* NULL: none */
        bool known;
    } ring[2 * TIMELINE_REACH + 2]; /* records that wait, at their count modulo the size */
    uint64_t added;
    char *part;   /* part of the last record; own; NULL: none */
    int64_t base; /* added to a part's frames, so that those of two parts are no neighbours */
};

/* Adds the next record, and hands out those that need not wait. It frees the record, which is from
 * record_new, and the findings. If `findings` is NULL, those that the record of a share carries are
 * taken. */
void neighbours_add(struct neighbours *neighbours, struct record *record, struct findings *findings,
                    bool known);

/* Hands out the rest, and frees all. */
void neighbours_end(struct neighbours *neighbours);

#endif
