/* The memory for frames: a fixed number of slots, each for one pair, used again and again, under
 * one limit in bytes.
 *
 * A slot keeps its memory when it is given back, pinned where a GPU reads it. Where a pair needs
 * more than its slot has, the slot first lets go of what it holds and then waits until the others
 * leave room: a waiting slot thus holds nothing, so that two cannot wait for each other. */
#ifndef SSIMCU_CLI_SLOTS_H
#define SSIMCU_CLI_SLOTS_H

#include "results/record.h"
#include "video/clip.h"

#include <pthread.h>

/* Memory for the frames of one side. */
struct block {
    ssimcu_frame memory; /* as a grey frame of whole pages */
    size_t bytes;
    bool pinned;
};

struct slot {
    struct slot *next_free;
    struct block block[2];                    /* REF, OUT */
    ssimcu_frame plane[2][SSIMCU_MAX_PLANES]; /* what lies in them, or in memory shared by all */
    uint32_t planes;
    ssimcu_clip_place place[2];
    uint64_t index; /* place of the record among the results */
    struct record record;
    double decode_ms, score_ms; /* of the pair that it holds */
    ssimcu_stage_ms ms;
    bool loaded; /* holds a pair */
};

struct slots {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct slot *slot, *free;
    uint32_t count;
    uint64_t limit, used, peak; /* bytes */
    uint64_t typical;           /* what the last pair took */
    const ssimcu_context *pin;  /* NULL: nothing is pinned */
};

/* The limit that was asked for or, for 0, half of the machine's memory and at most 4 GiB. */
uint64_t slots_limit(uint64_t asked);

/* False when memory ran out. */
bool slots_start(struct slots *slots, uint32_t count, uint64_t limit, const ssimcu_context *pin);
void slots_end(struct slots *slots);

/* Waits for a free slot. */
struct slot *slots_take(struct slots *slots);
void slots_give(struct slots *slots, struct slot *slot);

/* Makes the slot's blocks at least so large. Errors: LIMIT (never fits), MEMORY. */
ssimcu_status slots_reserve(struct slots *slots, struct slot *slot, const size_t bytes[2],
                            ssimcu_message *message);

/* Pins the slot's blocks, unless they are. That it fails costs only time. */
void slots_pin(struct slots *slots, struct slot *slot);

#endif
