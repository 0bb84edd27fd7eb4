#include "batch/order.h"

static void hand_out_next(struct order *order)
{
    struct pending *next = &order->pending[order->handed++ % ORDER_WINDOW];
    if (!next->there) return;
    const struct batch_config *config = order->config;
    if (!order->refused) order->refused = !config->take(config->user, &next->record, next->known);
    record_clear(&next->record);
    next->there = false;
}

void order_put(struct order *order, uint64_t index, const struct record *record, bool known)
{
    order->pending[index % ORDER_WINDOW] = (struct pending){*record, true, known};
    while (order->pending[order->handed % ORDER_WINDOW].there) hand_out_next(order);
}

void order_finish(struct order *order)
{
    for (int i = 0; i < ORDER_WINDOW; i++) hand_out_next(order);
    order->refused = true;
}
