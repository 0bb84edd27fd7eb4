#include "batch/order.h"

#include <stdlib.h>

struct order *orders_make(const struct batch_config *config, bool sequence, uint32_t outs)
{
    struct order *order = calloc(outs, sizeof *order);
    for (uint32_t i = 0; order && i < outs; i++) {
        order[i].config = config;
        order[i].sequence = sequence;
        order[i].out = i;
    }
    return order;
}

bool order_is_full(const struct order *order)
{
    return order->begun - order->handed >= ORDER_WINDOW;
}

/* Hands out what no neighbour can add a hint to. */
static void hand_out(struct order *order, bool end)
{
    struct hints hints;
    struct pending *held;
    while ((held = timeline_take(&order->timeline, end, &hints))) {
        if (held->looked) batch_hints(&hints, held->record.hints);
        const struct batch_config *config = order->config;
        held->record.out = order->out;
        if (!order->refused)
            order->refused = !config->take(config->user, &held->record, held->known);
        record_clear(&held->record);
        free(held->looked);
    }
}

static void hold_next(struct order *order)
{
    struct pending *next = &order->pending[order->handed++ % ORDER_WINDOW];
    if (!next->there) return;
    struct pending *held = &order->held[order->added++ % ORDER_HELD];
    *held = *next;
    next->there = false;
    const struct looked *looked = held->looked;
    timeline_add(&order->timeline, held->record.frame,
                 looked && order->sequence ? looked->signature : NULL,
                 looked ? &looked->hints : NULL, held->record.score, held);
    hand_out(order, false);
}

void order_put(struct order *order, uint64_t index, const struct record *record,
               struct looked *looked, bool known)
{
    order->pending[index % ORDER_WINDOW] = (struct pending){*record, looked, true, known};
    while (order->pending[order->handed % ORDER_WINDOW].there) hold_next(order);
}

void order_finish(struct order *order)
{
    for (int i = 0; i < ORDER_WINDOW; i++) hold_next(order);
    hand_out(order, true);
    order->refused = true;
}
