/* Shares and stretches: which pairs of an input a run, and a reader of a run, takes. */
#ifndef SSIMCU_QA_SHARE_H
#define SSIMCU_QA_SHARE_H

#include "source/source.h"

#include <pthread.h>

enum { STRETCHES_AT_WORK = 128 };

/* Pairs in stretches of one length, for readers of the same input side by side. A reader at the end
 * of its stretch takes the next one that no reader has. */
struct stretches {
    pthread_mutex_t lock;
    uint32_t length;
    uint64_t next; /* number of stretches taken so far; the next one to take, from 0 */
    uint32_t taker[STRETCHES_AT_WORK]; /* reader of stretch n, at n modulo the array's size */
};

/* Takes the next stretch for this reader. Returns how many are taken then. */
uint64_t share_take(struct stretches *stretches, uint32_t reader);

/* Returns whether the pair at `position` is in the share that is asked for. */
bool share_has(const struct source_input *input, uint64_t position);

#endif
