/* Order: records come as pairs are done, and are handed out as pairs were begun. The engine locks;
 * nothing is locked here. */
#ifndef SSIMCU_QA_ORDER_H
#define SSIMCU_QA_ORDER_H

#include "engine/batch.h"
#include "hints/hints.h"

/* The findings of a look at a scored pair. */
struct findings {
    struct hints hints;
    struct signature signature[2]; /* REF, OUT */
};

enum {
    ORDER_TIMELINE = 2 * TIMELINE_REACH + 2, /* frames that a timeline holds */
    ORDER_WINDOW = 1024                      /* records of a single reader: under a megabyte */
};

struct order {
    const struct batch_config *config; /* configuration whose `take` gets the records */
    uint32_t out;                      /* number of the OUT */
    uint64_t next_pair;                /* number of pairs begun; place of the next one */
    uint64_t next_record;              /* place of the record that comes next */
    bool closed;                       /* the caller takes no more records */
    bool sequence;                     /* neighbours can explain each other */
    uint32_t window;                   /* most records that wait for those before them */
    struct order_entry {
        struct record record;
        struct findings *findings; /* owned; NULL: the pair was not scored in this run */
        bool occupied, known;
    } * queue; /* ring of `window` records that wait for those before them */
    struct order_entry in_timeline[ORDER_TIMELINE]; /* ring of records that wait for later frames */
    uint64_t added; /* number of records that the timeline has got */
    struct timeline timeline;
    char *part;   /* part of the last record; own; NULL: none */
    int64_t base; /* added to a part's frames, so that those of two parts are no neighbours */
};

/* Makes an order for each OUT. Returns NULL if memory ran out. */
struct order *order_make(const struct batch_config *config, bool sequence, uint32_t outs,
                         uint32_t window);
void order_free(struct order *order, uint32_t outs); /* accepts NULL */

/* Returns whether no more pairs may begin. */
bool order_is_full(const struct order *order);

/* Takes the record of pair `index`, which is below next_record + window. Only its hints can still
 * change. The order owns the record and `findings` from now on. It hands the record out, and those
 * after it that are there, as soon as those before it are there. A suspicious record also waits for
 * up to three frames after it. */
void order_put(struct order *order, uint64_t index, const struct record *record,
               struct findings *findings, bool known);

/* Hands out all records that are there, even beyond one that never came. Takes none after that. */
void order_finish(struct order *order);

#endif
