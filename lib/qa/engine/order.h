/* Order: pairs finish in any order, but their records reach the neighbours in the order in which
 * the pairs began. The engine locks; nothing is locked here. */
#pragma once

#include "engine/batch.h"
#include "engine/neighbours.h"

enum { ORDER_WINDOW = 1024 /* records of a single reader: under a megabyte */ };

struct order {
    uint64_t next_pair;   /* number of pairs begun, and the place of the next one */
    uint64_t next_record; /* place of the next record */
    uint32_t window;      /* most records that may wait for earlier ones */
    struct order_entry {
        struct record *record;          /* owned; NULL: it has not arrived yet */
        struct pending_hints *findings; /* owned; NULL: the pair was not scored in this run */
        bool known;
    } * queue; /* ring of `window` waiting records */
    struct neighbours neighbours;
};

/* Makes an order for each OUT, which hands out its records to the config's `take`. `sequence`:
 * neighbours can explain each other. Returns NULL if memory ran out. */
struct order *order_make(const struct batch_config *config, bool sequence, uint32_t outs,
                         uint32_t window);
void order_free(struct order *order, uint32_t outs); /* accepts NULL */

/* Returns whether no more pairs may begin. */
bool order_is_full(const struct order *order);

/* Takes ownership of `findings` and of the record of pair `index`, which is below next_record +
 * window. Only its hints can still change. It passes on each record as soon as all earlier ones
 * have arrived. */
void order_put(struct order *order, uint64_t index, struct record *record,
               struct pending_hints *findings, bool known);

/* Hands out all records that have arrived, even past one that never came. Accepts none
 * afterwards. */
void order_finish(struct order *order);
