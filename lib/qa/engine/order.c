#include "engine/order.h"

#include <stdlib.h>

struct order *orders_make(const struct batch_config *config, bool sequence, uint32_t outs,
                          uint32_t window)
{
    struct order *order = calloc(outs, sizeof *order);
    bool all = order != NULL;
    for (uint32_t i = 0; i < outs && all; i++) {
        order[i].config = config;
        order[i].sequence = sequence;
        order[i].out = i;
        order[i].window = window;
        order[i].pending = calloc(window, sizeof *order[i].pending);
        all = order[i].pending != NULL;
    }
    if (all) return order;
    orders_free(order, outs);
    return NULL;
}

void orders_free(struct order *order, uint32_t outs)
{
    for (uint32_t i = 0; order && i < outs; i++) free(order[i].pending);
    free(order);
}

bool order_is_full(const struct order *order)
{
    return order->begun - order->handed >= order->window;
}

/* Hands out what no neighbour can add a hint to. */
static void hand_out(struct order *order, bool end)
{
    struct hints hints;
    struct pending *held;
    while ((held = timeline_take(&order->timeline, end, &hints))) {
        if (held->findings) hints_text(&hints, held->record.hints, RECORD_HINTS_BYTES);
        const struct batch_config *config = order->config;
        held->record.out = order->out;
        if (!order->refused)
            order->refused = !config->take(config->user, &held->record, held->known);
        record_clear(&held->record);
        free(held->findings);
    }
}

static void hold_next(struct order *order)
{
    struct pending *next = &order->pending[order->handed++ % order->window];
    if (!next->there) return;
    struct pending *held = &order->held[order->added++ % ORDER_HELD];
    *held = *next;
    next->there = false;
    const struct findings *findings = held->findings;
    timeline_add(&order->timeline, held->record.frame,
                 findings && order->sequence ? findings->signature : NULL,
                 findings ? &findings->hints : NULL, held->record.score, held);
    hand_out(order, false);
}

void order_put(struct order *order, uint64_t index, const struct record *record,
               struct findings *findings, bool known)
{
    order->pending[index % order->window] = (struct pending){*record, findings, true, known};
    while (order->pending[order->handed % order->window].there) hold_next(order);
}

void order_finish(struct order *order)
{
    for (uint32_t i = 0; i < order->window; i++) hold_next(order);
    hand_out(order, true);
    order->refused = true;
}
