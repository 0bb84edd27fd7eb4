/* The threads of a batch: they begin, load, score and deliver pairs in order. */
#include "base/numbers.h"
#include "base/refuse.h"
#include "engine/engine.h"
#include "pair/device.h"
#include "record/record.h"

#include "sample_size.h"

#include <stdlib.h>

/* ---- Records --------------------------------------------------------------------------------- */

/* Returns the bytes of a side's samples. */
static uint64_t frame_bytes(const struct pair *pair, int side)
{
    uint64_t bytes = 0;
    for (uint32_t p = 0; p < pair->planes; p++) {
        const ssimcu_frame *plane = &pair->plane[side][p];
        bytes += (uint64_t)plane->width * plane->channels * ssimcu_sample_size(plane->bits) *
                 plane->height;
    }
    return bytes;
}

static void add_times(struct batch_times *times, const struct task *task)
{
    times->pairs += task->loaded;
    times->decode += task->decode_ms;
    times->score += task->score_ms;
    times->stage.upload += task->ms.upload;
    times->stage.planes += task->ms.planes;
    times->stage.ssim += task->ms.ssim;
    times->stage.reduce += task->ms.reduce;
    times->stage.download += task->ms.download;
    for (int side = 0; side < 2 && task->loaded; side++)
        if (task->pair.on_device[side])
            times->on_device++;
        else
            times->from_host += frame_bytes(&task->pair, side);
}

/* Releases the frames and the slot, which the task no longer needs. */
static void release(struct task *task)
{
    const struct source *source = task->reader->source;
    if (source->kind->release) source->kind->release(source, &task->pair);
    slots_give(task->pair.slot);
}

/* Gives the task's final record to the order, where it waits for its turn, and frees the slot. */
static void deliver(struct engine *engine, struct task *task, bool known)
{
    pthread_mutex_lock(&engine->output);
    struct order *order = &engine->order[task->pair.out];
    struct record *record = task->pair.record;
    record->out = task->pair.out; /* results of an earlier run do not have it */
    if (!known) record->seconds = (task->decode_ms + task->score_ms) / 1000;
    order_put(order, task->index, record, task->findings, known);
    readers_end_pair(engine, task->index);
    engine->delivered++;
    if (order->neighbours.closed) atomic_store(&engine->stop, true);
    add_times(&engine->times, task);
    pthread_cond_broadcast(&engine->moved);
    pthread_mutex_unlock(&engine->output);
    release(task);
}

/* Ends the batch with an error that concerns no single pair. */
static void fail_batch(struct engine *engine, ssimcu_status status, const ssimcu_message *message)
{
    pthread_mutex_lock(&engine->output);
    if (engine->status == SSIMCU_OK) {
        engine->status = status;
        engine->message = *message;
    }
    atomic_store(&engine->stop, true);
    pthread_cond_broadcast(&engine->moved);
    pthread_mutex_unlock(&engine->output);
}

/* Ends the batch because of a task, whose pair gets no record. */
static void give_up(struct engine *engine, struct task *task, ssimcu_status status,
                    const ssimcu_message *message)
{
    fail_batch(engine, status, message);
    record_free(task->pair.record);
    release(task);
}

/* ---- Scoring --------------------------------------------------------------------------------- */

/* Notes that a thread has ended. The caller holds `output`. */
static void leave(struct engine *engine, uint32_t *at_work)
{
    --*at_work;
    pthread_cond_broadcast(&engine->moved);
    pthread_cond_signal(&engine->left);
}

/* Adds a pair that is ready to be scored. The caller holds `output`. */
static void push_ready(struct engine *engine, struct queue *queue, const struct task *task)
{
    queue->ready[(queue->at + queue->count++) % engine->slots.count] = *task;
    pthread_cond_broadcast(&engine->moved);
}

/* Ends a context. The caller holds `output`. */
static void leave_queue(struct worker *worker)
{
    worker->queue->contexts--;
    leave(worker->engine, &worker->engine->contexts);
}

/* Passes the pair to the other contexts, one of which may have the memory that this one lacks. This
 * context then ends. Returns false if it is the last. */
static bool pass_on(struct worker *worker, const struct task *task)
{
    struct engine *engine = worker->engine;
    pthread_mutex_lock(&engine->output);
    const bool others = worker->queue && worker->queue->contexts > 1;
    if (others) {
        push_ready(engine, worker->queue, task);
        leave_queue(worker);
    }
    pthread_mutex_unlock(&engine->output);
    return others;
}

/* Scores and analyses a task, and lets the caller examine it while its frames are there. */
static ssimcu_status score_task(struct worker *worker, struct task *task, ssimcu_message *message)
{
    const struct batch_config *config = worker->engine->config;
    ssimcu_context *const context = worker->context;
    ssimcu_score score;
    bool there = true;
    ssimcu_message lost = {{0}};
    ssimcu_status status =
        contexts_score(config, context, &worker->tiles, &task->pair, &score, message);
    task->ms = score.ms;
    if (status == SSIMCU_OK && !config->score && !config->no_hints)
        status = contexts_find_hints(context, &task->pair, &score, &task->findings, message);
    if (status == SSIMCU_OK && config->variants) status = retry_task(worker, task, &there, message);
    if (status == SSIMCU_OK && task->pair.record->kind != RECORD_SCORED) return status;
    if (status == SSIMCU_OK && config->scored && !there) {
        there = retry_reload(task, &lost) == SSIMCU_OK &&
                device_finish(&task->pair, context, &lost) == SSIMCU_OK;
        if (!there) config->unread(config->user, task->pair.record, lost.text);
    }
    if (status == SSIMCU_OK && config->scored && there)
        status = config->scored(config->user, context, &task->pair, message);
    if (status == SSIMCU_OK) return status;
    free(task->findings); /* the record keeps none */
    task->findings = NULL;
    return status;
}

/* Returns false if the context must end. */
static bool score_and_deliver(struct worker *worker, struct task *task)
{
    ssimcu_message message = {{0}};
    const double start = ssimcu_clock_ms();
    const ssimcu_status status = score_task(worker, task, &message);
    task->score_ms = ssimcu_clock_ms() - start;
    switch (status) {
    case SSIMCU_OK: break;
    case SSIMCU_ERROR_MEMORY:
        if (pass_on(worker, task)) return false;
        record_fail(task->pair.record, status, &message);
        break;
    case SSIMCU_ERROR_MISMATCH:
    case SSIMCU_ERROR_TOO_SMALL:
    case SSIMCU_ERROR_UNSUPPORTED:
    case SSIMCU_ERROR_DATA: /* samples that are not finite */
    case SSIMCU_ERROR_LIMIT: record_fail(task->pair.record, status, &message); break;
    default: give_up(worker->engine, task, status, &message); return true;
    }
    deliver(worker->engine, task, false);
    return true;
}

/* Waits for a pair that is ready. Returns false if none will come; the context has then ended. */
static bool wait_for_ready(struct worker *worker, struct task *task)
{
    struct engine *engine = worker->engine;
    struct queue *queue = worker->queue;
    pthread_mutex_lock(&engine->output);
    while (queue->count == 0 && engine->decoders > 0)
        pthread_cond_wait(&engine->moved, &engine->output);
    const bool any = queue->count > 0;
    if (any) {
        *task = queue->ready[queue->at];
        queue->at = (queue->at + 1) % engine->slots.count;
        queue->count--;
    } else {
        leave_queue(worker);
    }
    pthread_mutex_unlock(&engine->output);
    return any;
}

void *workers_score(void *argument)
{
    struct worker *worker = argument;
    struct task task;
    const locale_t before = numbers_begin();
    while (wait_for_ready(worker, &task))
        if (!score_and_deliver(worker, &task)) break;
    numbers_end(before);
    return NULL;
}

/* ---- Decoding -------------------------------------------------------------------------------- */

static bool is_window_full(const struct engine *engine)
{
    for (uint32_t i = 0; i < engine->outs; i++)
        if (order_is_full(&engine->order[i])) return engine->status == SSIMCU_OK;
    return false;
}

/* Locks the only reader as soon as the window has room for another pair. The pair that all threads
 * wait for may itself wait for memory. So a waiting thread releases the lock and its slot's old
 * memory, and other threads can do the same. */
static void lock_only(struct engine *engine, struct slot *slot)
{
    struct reader *reader = engine->reader;
    for (;;) {
        pthread_mutex_lock(&reader->lock);
        pthread_mutex_lock(&engine->output);
        const bool full = is_window_full(engine);
        if (full) {
            pthread_mutex_unlock(&reader->lock);
            if (!reader->source->kind->need) slots_drop(slot);
            while (is_window_full(engine)) pthread_cond_wait(&engine->moved, &engine->output);
        }
        pthread_mutex_unlock(&engine->output);
        if (!full) return;
    }
}

/* Gives the task of a begun pair its place. */
static void take_place(struct engine *engine, struct task *task)
{
    const struct pair *pair = &task->pair;
    pthread_mutex_lock(&engine->output);
    task->index = engine->readers == 1 ? engine->order[pair->out].next_pair++ : pair->index;
    readers_begin(engine, task->reader, pair);
    pthread_mutex_unlock(&engine->output);
}

static void end_reader(struct engine *engine, struct reader *reader)
{
    pthread_mutex_lock(&engine->output);
    reader->ended = true;
    pthread_cond_broadcast(&engine->moved);
    pthread_mutex_unlock(&engine->output);
}

/* Locks one of several readers. Returns false, and leaves it unlocked, if it must wait for other
 * readers first. */
static bool lock_one(struct engine *engine, struct reader *reader)
{
    pthread_mutex_lock(&reader->lock);
    pthread_mutex_lock(&engine->output);
    const bool far = !engine_is_stopped(engine) && readers_far_ahead(engine, reader);
    pthread_mutex_unlock(&engine->output);
    if (far) pthread_mutex_unlock(&reader->lock);
    return !far;
}

enum next { NEXT_PAIR, NEXT_AGAIN, NEXT_NONE };

/* Begins the next pair of the source. NEXT_AGAIN: another thread has reached the end of this
 * reader's chunk, where the reader must wait for others. */
static enum next begin_pair(struct engine *engine, struct task *task)
{
    struct reader *reader = task->reader;
    if (engine->readers == 1)
        lock_only(engine, task->pair.slot);
    else if (!lock_one(engine, reader))
        return NEXT_AGAIN;
    const double start = ssimcu_clock_ms();
    bool good = !reader->ended && !engine_is_stopped(engine) &&
                reader->source->kind->next(reader->source, &task->pair);
    task->decode_ms = ssimcu_clock_ms() - start;
    if (engine_is_stopped(engine)) good = false; /* the source was cut short: no whole pair */
    if (good)
        take_place(engine, task);
    else
        end_reader(engine, reader);
    pthread_mutex_unlock(&reader->lock);
    return good ? NEXT_PAIR : NEXT_NONE;
}

/* Loads the pair and pins its memory, whose pages exist by then. The many decoding threads pin, so
 * that the few contexts wait only for their device. Returns false if the record is final without a
 * score. */
static bool load_pair(struct task *task)
{
    ssimcu_message message = {{0}};
    if (task->pair.record->kind != RECORD_SCORED) return false;
    const double start = ssimcu_clock_ms();
    const struct source *source = task->reader->source;
    const ssimcu_status status = source->kind->load(source, &task->pair, &message);
    task->decode_ms += ssimcu_clock_ms() - start;
    task->loaded = status == SSIMCU_OK;
    if (task->loaded)
        slots_pin(&task->pair);
    else
        record_fail(task->pair.record, status, &message);
    return task->loaded;
}

/* Makes a task with an empty record and the memory that its source needs first. Returns false if
 * memory ran out, which ends the batch. */
static bool make_task(struct worker *worker, struct task *task)
{
    struct engine *engine = worker->engine;
    const struct source *source = worker->reader->source;
    *task = (struct task){.reader = worker->reader,
                          .pair.slot = slots_take(&engine->slots),
                          .pair.record = record_new(),
                          .pair.pinned = engine->slots.pin};
    size_t need[2] = {0, 0};
    ssimcu_message message = {{0}};
    if (source->kind->need) source->kind->need(source, need);
    const ssimcu_status status =
        task->pair.record ? slots_reserve(&task->pair, need, 0, &message) : no_memory(&message);
    if (status != SSIMCU_OK) give_up(engine, task, status, &message);
    return status == SSIMCU_OK;
}

/* Takes a pair from the source to its context, or directly to its record. Returns false if the
 * thread must end. */
static bool decode_one(struct worker *worker)
{
    struct engine *engine = worker->engine;
    const struct batch_config *config = engine->config;
    struct task task;
    if (engine->readers > 1 && !readers_wait(engine, worker->reader)) {
        end_reader(engine, worker->reader);
        return false;
    }
    if (!make_task(worker, &task)) return false;
    const enum next next = begin_pair(engine, &task);
    if (next != NEXT_PAIR) {
        record_free(task.pair.record);
        release(&task);
        return next == NEXT_AGAIN;
    }
    struct record *record = task.pair.record;
    record->out = task.pair.out;
    const bool known =
        config->known && record->kind == RECORD_SCORED && config->known(config->user, record);
    if (known || !load_pair(&task)) {
        deliver(engine, &task, known);
    } else if (worker->context) {
        (void)score_and_deliver(worker, &task);
    } else {
        pthread_mutex_lock(&engine->output);
        push_ready(engine, readers_queue(engine, worker->reader), &task);
        pthread_mutex_unlock(&engine->output);
    }
    return true;
}

/* Opens the source of a reader that has none yet. */
static bool open_reader(struct worker *worker)
{
    struct engine *engine = worker->engine;
    struct reader *reader = worker->reader;
    ssimcu_message message = {{0}};
    ssimcu_status status = SSIMCU_OK;
    pthread_mutex_lock(&reader->lock);
    if (!reader->source && !reader->ended) {
        status = source_open(&reader->input, &reader->source, &message);
        if (status != SSIMCU_OK) {
            end_reader(engine, reader);
        } else {
            reader->source->scored = engine->source->scored;
            reader->source->user = engine->source->user;
        }
    }
    const bool good = !reader->ended;
    pthread_mutex_unlock(&reader->lock);
    if (status != SSIMCU_OK) fail_batch(engine, status, &message);
    return good;
}

void *workers_decode(void *argument)
{
    struct worker *worker = argument;
    struct engine *engine = worker->engine;
    const locale_t before = numbers_begin();
    if (open_reader(worker))
        while (decode_one(worker)) continue;
    numbers_end(before);
    pthread_mutex_lock(&engine->output);
    leave(engine, &engine->decoders);
    pthread_mutex_unlock(&engine->output);
    return NULL;
}
