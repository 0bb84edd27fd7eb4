/* Records put back in order: they come as pairs are done and are handed out as pairs were begun.
 * Not locked: the engine does. */
#ifndef SSIMCU_QA_ORDER_H
#define SSIMCU_QA_ORDER_H

#include "engine/batch.h"
#include "hints/hints.h"

/* What a look at a scored pair has found. */
struct findings {
    struct hints hints;
    struct signature signature[2]; /* REF, OUT */
};

enum {
    ORDER_TIMELINE = 2 * TIMELINE_REACH + 2, /* as many as a timeline holds */
    ORDER_WINDOW = 1024                      /* of a single reader: under a megabyte */
};

struct order {
    const struct batch_config *config; /* who takes them */
    uint32_t out;                      /* whose they are, of several OUTs */
    uint64_t next_pair;                /* pairs */
    uint64_t next_record;              /* records handed out */
    bool closed;                       /* nobody takes them any more */
    bool sequence;                     /* neighbours are asked for hints */
    uint32_t window;                   /* records kept for those before them */
    struct order_entry {
        struct record record;
        struct findings *findings; /* own; NULL: it was not scored now */
        bool occupied, known;
    } * queue;                                      /* wait for their turn */
    struct order_entry in_timeline[ORDER_TIMELINE]; /* wait for what neighbours tell of them */
    uint64_t added;                                 /* to the timeline */
    struct timeline timeline;
};

/* One for each OUT. NULL: no memory. */
struct order *order_make(const struct batch_config *config, bool sequence, uint32_t outs,
                         uint32_t window);
void order_free(struct order *order, uint32_t outs); /* accepts NULL */

/* Whether no pair more may be begun. */
bool order_is_full(const struct order *order);

/* The record of pair `index`, below handed + window, is final but for its hints, and belongs
 * to the order from now on, as `findings` does: it is handed out, and those after it that are
 * there, or waits. One that looks suspicious also waits for up to three frames after it. */
void order_put(struct order *order, uint64_t index, const struct record *record,
               struct findings *findings, bool known);

/* Hands out all that is there, also beyond one that never came, and nothing after that. */
void order_finish(struct order *order);

#endif
