/* Records put back in order: they come as pairs are done and are handed out as pairs were begun.
 * Not locked: the engine does. */
#ifndef SSIMCU_CLI_ORDER_H
#define SSIMCU_CLI_ORDER_H

#include "batch/batch.h"

enum {
    ORDER_WINDOW = 1024 /* records kept for those before them: under a megabyte */
};

struct order {
    const struct batch_config *config; /* who takes them */
    uint64_t handed;                   /* records handed out */
    bool refused;                      /* nobody takes them any more */
    struct pending {
        struct record record;
        bool there, known;
    } pending[ORDER_WINDOW]; /* wait for their turn */
};

/* The record of pair `index`, below handed + ORDER_WINDOW, is final and belongs to the order from
 * now on: it is handed out, and those after it that are there, or waits. */
void order_put(struct order *order, uint64_t index, const struct record *record, bool known);

/* Hands out all that is there, also beyond one that never came, and nothing after that. */
void order_finish(struct order *order);

#endif
