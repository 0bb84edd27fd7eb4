/* Order: records come as pairs are done, and go to their neighbours as pairs were begun. The engine
 * locks; nothing is locked here. */
#ifndef SSIMCU_QA_ORDER_H
#define SSIMCU_QA_ORDER_H

#include "engine/batch.h"
#include "engine/neighbours.h"

enum { ORDER_WINDOW = 1024 /* records of a single reader: under a megabyte */ };

struct order {
    uint64_t next_pair;   /* number of pairs begun; place of the next one */
    uint64_t next_record; /* place of the record that comes next */
    uint32_t window;      /* most records that wait for those before them */
    struct order_entry {
        struct record *record;     /* owned; NULL: it has not come yet */
        struct findings *findings; /* owned; NULL: the pair was not scored in this run */
        bool known;
    } * queue; /* ring of `window` records that wait for those before them */
    struct neighbours neighbours;
};

/* Makes an order for each OUT, which hands out to the config's `take`. `sequence`: neighbours can
 * explain each other. Returns NULL if memory ran out. */
struct order *order_make(const struct batch_config *config, bool sequence, uint32_t outs,
                         uint32_t window);
void order_free(struct order *order, uint32_t outs); /* accepts NULL */

/* Returns whether no more pairs may begin. */
bool order_is_full(const struct order *order);

/* Takes the record of pair `index`, which is below next_record + window. Only its hints can still
 * change. The order owns the record and `findings` from now on. It passes both on, and those after
 * them that are there, as soon as those before it are there. */
void order_put(struct order *order, uint64_t index, struct record *record,
               struct findings *findings, bool known);

/* Hands out all records that are there, even beyond one that never came. Takes none after that. */
void order_finish(struct order *order);

#endif
