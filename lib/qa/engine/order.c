#include "engine/order.h"

#include <stdlib.h>
#include <string.h>

static const int64_t PARTS_APART = (int64_t)1 << 40;

struct order *order_make(const struct batch_config *config, bool sequence, uint32_t outs,
                         uint32_t window)
{
    struct order *order = calloc(outs, sizeof *order);
    bool all = order != NULL;
    for (uint32_t i = 0; i < outs && all; i++) {
        order[i].config = config;
        order[i].sequence = sequence;
        order[i].out = i;
        order[i].window = window;
        order[i].queue = calloc(window, sizeof *order[i].queue);
        all = order[i].queue != NULL;
    }
    if (all) return order;
    order_free(order, outs);
    return NULL;
}

void order_free(struct order *order, uint32_t outs)
{
    for (uint32_t i = 0; order && i < outs; i++) {
        free(order[i].queue);
        free(order[i].part);
    }
    free(order);
}

bool order_is_full(const struct order *order)
{
    return order->next_pair - order->next_record >= order->window;
}

/* Hands out the records whose hints no later frame can change. */
static void hand_out(struct order *order, bool end)
{
    struct hints hints;
    struct order_entry *entry;
    while ((entry = timeline_take(&order->timeline, end, &hints))) {
        if (entry->findings) hints_text(&hints, entry->record.hints, RECORD_HINTS_BYTES);
        const struct batch_config *config = order->config;
        entry->record.out = order->out;
        if (!order->closed)
            order->closed = !config->take(config->user, &entry->record, entry->known);
        record_clear(&entry->record);
        free(entry->findings);
    }
}

/* Returns the place of a record in the timeline. Frames of two parts follow each other in no time.
 */
static int64_t place_of(struct order *order, const struct record *record)
{
    const char *part = record->part ? record->part : "", *last = order->part ? order->part : "";
    if (strcmp(part, last) != 0) {
        order->base += PARTS_APART;
        free(order->part);
        order->part = strdup(part); /* every frame is a part of its own if memory runs out */
    }
    return order->base + record->frame;
}

static void move_next(struct order *order)
{
    struct order_entry *next = &order->queue[order->next_record++ % order->window];
    if (!next->occupied) return;
    struct order_entry *entry = &order->in_timeline[order->added++ % ORDER_TIMELINE];
    *entry = *next;
    next->occupied = false;
    const struct findings *findings = entry->findings;
    timeline_add(&order->timeline, place_of(order, &entry->record),
                 findings && order->sequence ? findings->signature : NULL,
                 findings ? &findings->hints : NULL, entry->record.score, entry);
    hand_out(order, false);
}

void order_put(struct order *order, uint64_t index, const struct record *record,
               struct findings *findings, bool known)
{
    order->queue[index % order->window] = (struct order_entry){*record, findings, true, known};
    while (order->queue[order->next_record % order->window].occupied) move_next(order);
}

void order_finish(struct order *order)
{
    for (uint32_t i = 0; i < order->window; i++) move_next(order);
    hand_out(order, true);
    order->closed = true;
}
