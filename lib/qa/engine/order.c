#include "engine/order.h"

#include <stdlib.h>

struct order *order_make(const struct batch_config *config, bool sequence, uint32_t outs,
                         uint32_t window)
{
    struct order *order = calloc(outs, sizeof *order);
    bool all = order != NULL;
    for (uint32_t i = 0; i < outs && all; i++) {
        order[i].window = window;
        order[i].neighbours = (struct neighbours){.take = config->take,
                                                  .user = config->user,
                                                  .sequence = sequence,
                                                  .in_shares = config->is_share,
                                                  .keeps = config->keeps_pending_hints};
        order[i].queue = calloc(window, sizeof *order[i].queue);
        all = order[i].queue != NULL;
    }
    if (all) return order;
    order_free(order, outs);
    return NULL;
}

void order_free(struct order *order, uint32_t outs)
{
    for (uint32_t i = 0; order && i < outs; i++) free(order[i].queue);
    free(order);
}

bool order_is_full(const struct order *order)
{
    return order->next_pair - order->next_record >= order->window;
}

static void move_next(struct order *order)
{
    struct order_entry *next = &order->queue[order->next_record++ % order->window];
    struct record *const record = next->record;
    next->record = NULL;
    if (record) neighbours_add(&order->neighbours, record, next->findings, next->known);
}

void order_put(struct order *order, uint64_t index, struct record *record,
               struct pending_hints *findings, bool known)
{
    order->queue[index % order->window] = (struct order_entry){record, findings, known};
    while (order->queue[order->next_record % order->window].record) move_next(order);
}

void order_finish(struct order *order)
{
    for (uint32_t i = 0; i < order->window; i++) move_next(order);
    neighbours_end(&order->neighbours);
}
