/* Slots: the memory for frames, and a count of the decoders' memory. There is a fixed number of
 * slots under one limit in bytes. Each serves one pair at a time and is reused.
 *
 * A returned slot keeps its memory, pinned if a GPU reads it. If a pair needs more than its slot
 * has, the slot first frees what it holds and then waits until the others leave room. A waiting
 * slot thus holds nothing, so two slots cannot wait for each other. */
#pragma once

#include "image/file_memory.h"

#include <pthread.h>
#include <stdbool.h>

struct pair;

struct slot {
    struct slots *slots;
    struct slot *next_free;
    struct block {
        ssimcu_frame memory; /* a grey frame of whole pages */
        size_t bytes;
        bool pinned;
    } block[2];      /* REF, OUT */
    uint64_t beside; /* bytes counted for decoders */
};

struct slots {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct slot *slot, *free;
    uint32_t count;
    uint64_t limit, used, peak; /* bytes */
    uint64_t typical;           /* bytes that the last pair took */
    uint32_t bytes_per_byte;    /* factor as in struct batch_config */
    const ssimcu_context *pin;  /* NULL: nothing is pinned */
    struct ssimcu_file_memory files;
};

/* Makes `count` empty slots. A `limit` of 0 is half of the machine's memory, at most 4 GiB. Returns
 * false if memory ran out. */
bool slots_start(struct slots *slots, uint32_t count, uint64_t limit, const ssimcu_context *pin);
void slots_end(struct slots *slots);

/* Waits for a free slot. It may still have the memory of an earlier pair. */
struct slot *slots_take(struct slots *slots);

/* Gives the pair's slot at least so much memory; its contents are lost. `beside` is added to the
 * count, because a decoder allocates that much. Waits until other pairs leave room. Errors: LIMIT
 * (it never fits), MEMORY. */
ssimcu_status slots_reserve(struct pair *pair, const size_t bytes[2], uint64_t beside,
                            ssimcu_message *message);

/* Returns the memory for the bytes of a pair's files. NULL: none is kept, because together with the
 * memory of scoring it would raise the peak. */
struct ssimcu_file_memory *slots_files(const struct pair *pair);

void slots_give(struct slot *slot);

/* Frees the memory of a slot in use, because other slots wait for memory. */
void slots_drop(struct slot *slot);

/* Pins the memory of a pair's sides if it is not pinned yet. A side on a device has only samples
 * for hints there, which are never uploaded. A failure only costs time. */
void slots_pin(const struct pair *pair);
