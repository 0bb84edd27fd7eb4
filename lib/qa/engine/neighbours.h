/* Records in frame order. Each is held back until later frames can no longer change its hints, and
 * is then handed out. The caller locks. */
#pragma once

#include "hints/hints.h"

struct record;

struct neighbours {
    /* Gets each record and whether an earlier run has made it. Returns false to take no more. */
    bool (*take)(void *user, struct record *record, bool known);
    void *user;
    bool sequence;  /* frames are consecutive, so neighbours can explain them */
    bool in_shares; /* neighbours are in other shares: records keep their findings for the merge */
    bool keeps;     /* records keep their findings for a run that continues these results */
    bool closed;    /* no more records are handed out */
    struct timeline timeline;
    struct neighbour {
        struct record *record;
        struct pending_hints *findings; /* may be NULL */
        bool known;
    } ring[2 * TIMELINE_REACH + 2]; /* waiting records; record n of all is at n modulo the size */
    uint64_t added;
    char *shot;   /* shot of the last record; owned; may be NULL */
    int64_t base; /* offset of a shot's frames, which keeps frames of two shots apart */
};

/* Adds the next record, and hands out those that need not wait. It frees the record, which comes
 * from record_new, and the findings. If `findings` is NULL, it uses those in the record of a
 * share. */
void neighbours_add(struct neighbours *neighbours, struct record *record,
                    struct pending_hints *findings, bool known);

/* Hands out the rest, and frees everything. */
void neighbours_end(struct neighbours *neighbours);
