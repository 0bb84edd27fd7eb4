/* What a batch's threads share: workers.c is what each of them does, engine.c starts and ends
 * them. */
#ifndef SSIMCU_CLI_ENGINE_H
#define SSIMCU_CLI_ENGINE_H

#include "batch/lanes.h"
#include "batch/order.h"
#include "batch/slots.h"
#include "batch/threads.h"

#include <stdatomic.h>

/* A pair, and what the engine notes about it. */
struct task {
    struct batch_pair pair;
    uint64_t index; /* place of its record among those of its OUT */
    bool loaded;
    struct looked *looked; /* what the hints come from; NULL: nothing */
    double decode_ms, score_ms;
    ssimcu_stage_ms ms;
};

struct engine {
    struct worker { /* a thread */
        struct engine *engine;
        ssimcu_context *context; /* a lane's; NULL: it decodes only */
        pthread_t thread;
    } * worker;
    const struct batch_config *config;
    struct batch_source *source;
    struct slots slots;
    atomic_bool stop; /* begin no more pairs */

    pthread_mutex_t input; /* guards the source; taken before `output` */
    bool ended;

    pthread_mutex_t output; /* guards the rest */
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

/* Threads, with a struct worker as argument. A lane scores pairs that are ready; a decoder begins
 * and loads them, and scores them, too, where it has a context. */
void *engine_work_lane(void *worker);
void *engine_work_decoder(void *worker);

#endif
