/* The memory for frames, and the count of what decoders hold beside them: a fixed number of slots,
 * each for one pair, used again and again, under one limit in bytes.
 *
 * A slot keeps its memory when it is given back, pinned where a GPU reads it. Where a pair needs
 * more than its slot has, the slot first lets go of what it holds and then waits until the others
 * leave room: a waiting slot thus holds nothing, so that two cannot wait for each other. */
#ifndef SSIMCU_CLI_SLOTS_H
#define SSIMCU_CLI_SLOTS_H

#include "batch/batch.h"

#include <pthread.h>

struct slot {
    struct slots *slots;
    struct slot *next_free;
    struct block {
        ssimcu_frame memory; /* as a grey frame of whole pages */
        size_t bytes;
        bool pinned;
    } block[2];      /* REF, OUT */
    uint64_t beside; /* bytes counted for what decoders allocate */
};

struct slots {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct slot *slot, *free;
    uint32_t count;
    uint64_t limit, used, peak; /* bytes */
    uint64_t typical;           /* what the last pair took */
    uint32_t bytes_per_byte;    /* as in struct batch_config */
    const ssimcu_context *pin;  /* NULL: nothing is pinned */
};

/* `limit` 0: half of the machine's memory and at most 4 GiB. False when memory ran out. */
bool slots_start(struct slots *slots, uint32_t count, uint64_t limit, const ssimcu_context *pin);
void slots_end(struct slots *slots);

/* Waits for a free slot. batch_reserve gives it memory. */
struct slot *slots_take(struct slots *slots);
void slots_give(struct slot *slot);

/* Frees the memory of a slot that is taken, for others that wait for it. */
void slots_drop(struct slot *slot);

/* Pins the slot's memory, unless it is. That this fails costs only time. */
void slots_pin(struct slot *slot);

#endif
