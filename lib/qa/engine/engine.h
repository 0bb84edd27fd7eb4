/* What a batch's threads share: workers.c is what each of them does, engine.c starts and ends
 * them. */
#ifndef SSIMCU_QA_ENGINE_H
#define SSIMCU_QA_ENGINE_H

#include "engine/batch.h"
#include "engine/lanes.h"
#include "engine/order.h"
#include "engine/threads.h"
#include "source/share.h"
#include "source/slots.h"

#include <stdatomic.h>

/* A pair, and what the engine notes about it. */
struct task {
    struct pair pair;
    struct reader *reader; /* whose it is */
    uint64_t index;        /* place of its record among those of its OUT */
    bool loaded;
    struct findings *findings; /* what the hints come from; NULL: nothing */
    double decode_ms, score_ms;
    ssimcu_stage_ms ms;
};

/* What goes through the pairs: the source, or beside it others of the same input, each through
 * stretches of its own. */
struct reader {
    struct source *source;     /* the first is the caller's; others are opened by their threads */
    struct source_input input; /* of one among several */
    pthread_mutex_t lock;      /* guards the source */
    bool ended;                /* guarded by `output` as well, as the rest is */
    uint64_t next;             /* of several: no pair that it begins now comes before this one */
    uint64_t at_work;          /* pairs begun that have no record yet */
};

struct engine {
    struct worker { /* a thread */
        struct engine *engine;
        struct reader *reader;   /* of one that decodes */
        ssimcu_context *context; /* a lane's; NULL: it decodes only */
        pthread_t thread;
    } * worker;
    const struct batch_config *config;
    struct source *source; /* the first reader's */
    struct reader *reader;
    uint32_t readers;
    struct stretches stretches; /* of several readers */
    struct slots slots;
    atomic_bool stop; /* begin no more pairs */

    pthread_mutex_t output; /* guards the rest; taken after a reader's lock */
    pthread_cond_t moved;   /* `order` or `ready` changed */
    pthread_cond_t left;    /* a thread came to its end */
    uint32_t outs;
    struct order *order; /* of each OUT */
    struct task *ready;  /* a ring, as large as there are slots */
    uint32_t ready_at, ready_count;
    uint32_t decoders, lanes; /* still at work */
    ssimcu_status status;
    ssimcu_message message;
    struct batch_times times;
};

bool engine_told_to_stop(const struct engine *engine);
bool engine_is_stopped(struct engine *engine); /* or has failed */

/* ---- readers.c ------------------------------------------------------------------------------- */

/* One, which is the caller's, or several that share its pairs. False: no memory. */
bool readers_make(struct engine *engine, struct source *source);

/* `input` is the caller's. What was wrong with what another has read is said by the first. */
void readers_end(struct engine *engine, const struct source_input *input);

/* Records that wait for those before them, at most. */
uint32_t readers_window(const struct engine *engine);

/* Of several: whether one is to wait for the record that comes next. The caller holds `output`. */
bool readers_far_ahead(struct engine *engine, const struct reader *reader);

/* Of several: waits while one is far ahead of others, without memory that they may wait for. False:
 * it has to end, for the record that comes next never will. */
bool readers_wait(struct engine *engine, const struct reader *reader);

/* Threads, with a struct worker as argument. A lane scores pairs that are ready; a decoder begins
 * and loads them, and scores them, too, where it has a context. */
void *workers_score(void *worker);
void *workers_decode(void *worker);

#endif
