/* The engine's own: what the threads of a batch share. workers.c has what each thread does, batch.c
 * starts and ends them. */
#ifndef SSIMCU_QA_ENGINE_H
#define SSIMCU_QA_ENGINE_H

#include "engine/batch.h"
#include "engine/lanes.h"
#include "engine/order.h"
#include "engine/threads.h"
#include "pair/pair.h"
#include "pair/slots.h"
#include "source/share.h"

#include <stdatomic.h>

/* A pair, and what the engine notes about it. */
struct task {
    struct pair pair;
    struct reader *reader; /* reader of the pair's source */
    uint64_t index;        /* place of the record among those of its OUT */
    bool loaded;
    struct findings *findings; /* source of the hints; NULL: none */
    double decode_ms, score_ms;
    ssimcu_stage_ms ms;
};

/* A reader goes through the pairs of a source. A single reader has the caller's source. Several
 * have sources of the same input, and each has stretches of its own. */
struct reader {
    struct source *source;     /* the first is the caller's; threads open the others */
    struct source_input input; /* input of one of several readers */
    pthread_mutex_t lock;      /* guards the source */
    bool ended; /* no more pairs come; guarded by `output` as well, as is all below */
    /* Several readers: no pair that it begins from now on comes before this one. */
    uint64_t next;
    bool within; /* it may begin more pairs of a frame, which other OUTs have */
};

/* Pairs that are ready to be scored, and the lanes that may score them. */
struct queue {
    struct task *ready; /* ring with a place for each slot */
    uint32_t at, count;
    uint32_t lanes; /* number of lanes still at work */
};

struct engine {
    struct worker { /* a thread */
        struct engine *engine;
        struct reader *reader;   /* reader of a thread that decodes */
        struct queue *queue;     /* queue of a lane */
        ssimcu_context *context; /* context to score with; NULL: the thread only decodes */
        pthread_t thread;
        struct floor_tiles tiles; /* memory for those of a pair, if they are needed */
    } * worker;
    const struct batch_config *config;
    struct source *source; /* source of the first reader */
    struct reader *reader;
    uint32_t readers;
    struct queue *queue; /* one for each GPU if frames are in their memory, else one */
    uint32_t queues;
    struct stretches stretches; /* stretches of several readers */
    struct slots slots;
    atomic_bool stop; /* no more pairs may begin */

    pthread_mutex_t output; /* guards all below; locked after a reader's lock */
    pthread_cond_t moved;   /* signals a change of `order` or a queue */
    pthread_cond_t left;    /* signals that a thread has ended */
    uint32_t outs;
    struct order *order;    /* one order for each OUT */
    uint64_t first_stretch; /* several readers: the first one without all its records */
    uint32_t at_work[STRETCHES_AT_WORK]; /* pairs of a stretch begun that have no record yet */
    uint32_t decoders, lanes;            /* number of threads still at work */
    uint64_t delivered;                  /* number of pairs that have their record */
    ssimcu_status status;
    ssimcu_message message;
    struct batch_times times;
};

static inline bool engine_told_to_stop(const struct engine *engine)
{
    return ssimcu_is_stopped(engine->config->stop);
}

/* Returns true as well if the batch has failed. */
static inline bool engine_is_stopped(struct engine *engine)
{
    return atomic_load(&engine->stop) || engine_told_to_stop(engine);
}

/* ---- readers.c ------------------------------------------------------------------------------- */

/* Makes one reader, which has the caller's source, or several that share its pairs. Returns false
 * if memory ran out. */
bool readers_make(struct engine *engine, struct source *source);

/* Closes all readers' sources but the caller's, which gets the caller's `input` back. Damage that
 * another reader has found becomes that of the caller's source. */
void readers_end(struct engine *engine, const struct source_input *input);

/* Returns how many records may wait for those before them. */
uint32_t readers_window(const struct engine *engine);

/* Return the queue in which a reader's pairs wait. */
struct queue *readers_queue(const struct engine *engine, const struct reader *reader);

/* Note that a pair of a reader has begun, and that one has its record. The caller holds `output`.
 */
void readers_begin(struct engine *engine, struct reader *reader, const struct pair *pair);
void readers_end_pair(struct engine *engine, uint64_t index);

/* Returns whether one of several readers is so far ahead that it must wait for the next record. The
 * caller holds `output`. */
bool readers_far_ahead(struct engine *engine, const struct reader *reader);

/* Waits while one of several readers is far ahead. The thread has no memory then that other readers
 * may wait for. Returns false if the reader must end, because the next record will never come. */
bool readers_wait(struct engine *engine, const struct reader *reader);

/* Run a thread, whose struct worker is the argument. A lane scores pairs that are ready.
 * A decoder begins and loads pairs, and scores them too if it has a context. */
void *workers_score(void *worker);
void *workers_decode(void *worker);

/* ---- retry.c --------------------------------------------------------------------------------- */

/* Scores a task that is beyond a limit against each variant in turn, until one keeps it. Its record
 * is then that of that variant, with hints and without findings. *there: the frames in memory are
 * still those of the record. If memory runs out, the record becomes a failed one. Errors: those
 * that concern no single pair (DEVICE, INTERNAL). */
ssimcu_status retry_task(struct worker *worker, struct task *task, bool *there,
                         ssimcu_message *message);

/* Loads the frames of the task's record once more. Errors: as `load` of a source. */
ssimcu_status retry_reload(struct task *task, ssimcu_message *message);

#endif
