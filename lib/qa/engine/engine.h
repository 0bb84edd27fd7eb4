/* Private to the engine: the state that the threads of a batch share. workers.c has the threads,
 * batch.c starts and ends them. */
#pragma once

#include "engine/contexts.h"
#include "engine/threads.h"
#include "pair/pair.h"
#include "pair/slots.h"
#include "source/share.h"

#include "clock.h"

#include <stdatomic.h>

/* A pair, and the engine's notes about it. */
struct task {
    struct pair pair;
    struct reader *reader; /* reader of the pair's source */
    uint64_t index;        /* place of the record among those of its OUT */
    bool loaded;
    struct pending_hints *findings; /* source of the hints; may be NULL */
    double decode_ms, score_ms;
    ssimcu_stage_ms ms;
};

/* A reader goes through the pairs of a source. A single reader has the caller's source. Several
 * readers have sources of the same input, and take different chunks. */
struct reader {
    struct source *source;     /* the first is the caller's; threads open the others */
    struct source_input input; /* input of one of several readers */
    pthread_mutex_t lock;      /* guards the source */
    bool ended; /* no more pairs come; `output` guards this and all members below, too */
    /* It begins no pair before this one, if there are several readers. */
    uint64_t next;
    bool within; /* it may begin more pairs of the same frame, for other OUTs */
};

/* Pairs that are ready to be scored, and the contexts that may score them. */
struct queue {
    struct task *ready; /* ring with one entry per slot */
    uint32_t at, count;
    uint32_t contexts; /* number of contexts still running */
};

struct engine {
    struct worker { /* a thread */
        struct engine *engine;
        struct reader *reader;   /* reader of a thread that decodes */
        struct queue *queue;     /* queue of a context */
        ssimcu_context *context; /* context to score with; NULL: the thread only decodes */
        pthread_t thread;
        struct learned_tiles tiles; /* memory for a pair's tiles, if needed */
    } * worker;
    const struct batch_config *config;
    struct source *source; /* source of the first reader */
    struct reader *reader;
    uint32_t readers;
    struct queue *queue; /* one for each GPU if frames are in GPU memory, else one */
    uint32_t queues;
    struct chunks chunks; /* chunks of several readers */
    struct slots slots;
    atomic_bool stop; /* no more pairs may begin */

    pthread_mutex_t output; /* guards all below; locked after a reader's lock */
    pthread_cond_t moved;   /* signals a change of `order` or a queue */
    pthread_cond_t left;    /* signals that a thread has ended */
    uint32_t outs;
    struct order *order;              /* one order for each OUT */
    uint64_t first_chunk;             /* the first chunk that lacks records, with several readers */
    uint32_t at_work[CHUNKS_AT_WORK]; /* pairs of each chunk begun that have no record yet */
    uint32_t decoders, contexts;      /* number of threads still running */
    uint64_t delivered;               /* number of pairs that have their record */
    ssimcu_status status;
    ssimcu_message message;
    struct batch_times times;
};

static inline bool engine_told_to_stop(const struct engine *engine)
{
    return ssimcu_is_stopped(engine->config->stop);
}

/* Returns true if the batch has failed, too. */
static inline bool engine_is_stopped(struct engine *engine)
{
    return atomic_load(&engine->stop) || engine_told_to_stop(engine);
}

/* ---- readers.c ------------------------------------------------------------------------------- */

/* Makes one reader with the caller's source, or several that share its pairs. Returns false if
 * memory ran out. */
bool readers_make(struct engine *engine, struct source *source);

/* Closes all readers' sources except the caller's, and restores the caller's `input`. Damage that
 * another reader found moves to the caller's source. */
void readers_end(struct engine *engine, const struct source_input *input);

/* Returns how many records may wait for earlier ones. */
uint32_t readers_window(const struct engine *engine);

/* Returns the queue in which a reader's pairs wait. */
struct queue *readers_queue(const struct engine *engine, const struct reader *reader);

/* Note that a reader's pair has begun, and that a pair has its record. The caller holds
 * `output`. */
void readers_begin(struct engine *engine, struct reader *reader, const struct pair *pair);
void readers_end_pair(struct engine *engine, uint64_t index);

/* Returns whether one of several readers is so far ahead that it must wait for the next record. The
 * caller holds `output`. */
bool readers_far_ahead(struct engine *engine, const struct reader *reader);

/* Waits while one of several readers is far ahead. The thread then holds no memory that other
 * readers may need. Returns false if the reader must end, because the next record will never
 * come. */
bool readers_wait(struct engine *engine, const struct reader *reader);

/* Run a thread; the argument is its struct worker. A context scores pairs that are ready. A decoder
 * begins and loads pairs, and also scores them if it has a context. */
void *workers_score(void *worker);
void *workers_decode(void *worker);

/* ---- retry.c --------------------------------------------------------------------------------- */

/* Scores a task that is over a limit against each variant in turn, until one passes. The record
 * then becomes that variant's, with hints and without findings. *there: the frames in memory still
 * belong to the record. If memory runs out, the record fails. Errors: those that concern no single
 * pair (DEVICE, INTERNAL). */
ssimcu_status retry_task(struct worker *worker, struct task *task, bool *there,
                         ssimcu_message *message);

/* Reloads the frames of the task's record. Errors: as `load` of a source. */
ssimcu_status retry_reload(struct task *task, ssimcu_message *message);
