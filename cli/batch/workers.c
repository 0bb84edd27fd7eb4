/* What the threads of a batch do: pairs are begun, loaded, scored and handed out in order. */
#include "batch/engine.h"

#include "sample_size.h"

#include <stdlib.h>

/* ---- Records --------------------------------------------------------------------------------- */

/* Bytes of a side's samples. */
static uint64_t frame_bytes(const struct batch_pair *pair, int side)
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

/* Nobody looks at the task's frames any more. */
static void release(struct task *task)
{
    const struct batch_source *source = task->reader->source;
    if (source->kind->release) source->kind->release(source, &task->pair);
    slots_give(task->pair.slot);
}

/* The task's record is final: it waits for its turn, the slot is free again. */
static void deliver(struct engine *engine, struct task *task, bool known)
{
    pthread_mutex_lock(&engine->output);
    struct order *order = &engine->order[task->pair.out];
    order_put(order, task->index, &task->pair.record, task->looked, known);
    task->reader->at_work--;
    if (order->refused) atomic_store(&engine->stop, true);
    add_times(&engine->times, task);
    pthread_cond_broadcast(&engine->moved);
    pthread_mutex_unlock(&engine->output);
    release(task);
}

/* Something that concerns no single pair: the batch ends. */
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

/* The same, of a task whose pair has no record then. */
static void give_up(struct engine *engine, struct task *task, ssimcu_status status,
                    const ssimcu_message *message)
{
    fail_batch(engine, status, message);
    record_clear(&task->pair.record);
    release(task);
}

/* ---- Scoring --------------------------------------------------------------------------------- */

/* A thread is at its end; the caller holds `output`. */
static void leave(struct engine *engine, uint32_t *at_work)
{
    --*at_work;
    pthread_cond_broadcast(&engine->moved);
    pthread_cond_signal(&engine->left);
}

/* The caller holds `output`. */
static void push_ready(struct engine *engine, const struct task *task)
{
    engine->ready[(engine->ready_at + engine->ready_count++) % engine->slots.count] = *task;
    pthread_cond_broadcast(&engine->moved);
}

/* Another lane may have the memory that this one lacks: it leaves its pair to them and ends. */
static bool pass_on(struct engine *engine, const struct task *task)
{
    pthread_mutex_lock(&engine->output);
    const bool others = engine->lanes > 1;
    if (others) {
        push_ready(engine, task);
        leave(engine, &engine->lanes);
    }
    pthread_mutex_unlock(&engine->output);
    return others;
}

/* False when the lane has to end. */
static bool score_and_deliver(struct worker *worker, struct task *task)
{
    ssimcu_message message = {{0}};
    ssimcu_score score;
    const double start = clock_ms();
    const ssimcu_status status =
        lanes_score(worker->engine->config, worker->context, &task->pair, &score, &message);
    task->ms = score.ms;
    if (status == SSIMCU_OK && !worker->engine->config->score)
        task->looked = lanes_look(&task->pair, &score);
    task->score_ms = clock_ms() - start;
    switch (status) {
    case SSIMCU_OK: break;
    case SSIMCU_ERROR_MEMORY:
        if (pass_on(worker->engine, task)) return false;
        record_fail(&task->pair.record, status, &message);
        break;
    case SSIMCU_ERROR_MISMATCH:
    case SSIMCU_ERROR_TOO_SMALL:
    case SSIMCU_ERROR_UNSUPPORTED:
    case SSIMCU_ERROR_DATA: /* samples that are not finite */
    case SSIMCU_ERROR_LIMIT: record_fail(&task->pair.record, status, &message); break;
    default: give_up(worker->engine, task, status, &message); return true;
    }
    deliver(worker->engine, task, false);
    return true;
}

/* False where none will come: the lane has ended. */
static bool wait_for_ready(struct engine *engine, struct task *task)
{
    pthread_mutex_lock(&engine->output);
    while (engine->ready_count == 0 && engine->decoders > 0)
        pthread_cond_wait(&engine->moved, &engine->output);
    const bool any = engine->ready_count > 0;
    if (any) {
        *task = engine->ready[engine->ready_at];
        engine->ready_at = (engine->ready_at + 1) % engine->slots.count;
        engine->ready_count--;
    } else {
        leave(engine, &engine->lanes);
    }
    pthread_mutex_unlock(&engine->output);
    return any;
}

void *engine_work_lane(void *argument)
{
    struct worker *worker = argument;
    struct task task;
    while (wait_for_ready(worker->engine, &task))
        if (!score_and_deliver(worker, &task)) break;
    return NULL;
}

/* ---- Decoding -------------------------------------------------------------------------------- */

bool engine_told_to_stop(const struct engine *engine)
{
    return engine->config->stopped && engine->config->stopped();
}

static bool is_stopped(struct engine *engine)
{
    return atomic_load(&engine->stop) || engine_told_to_stop(engine);
}

static bool is_window_full(const struct engine *engine)
{
    bool full = false;
    for (uint32_t i = 0; i < engine->outs; i++) full = full || order_is_full(&engine->order[i]);
    return full && engine->status == SSIMCU_OK;
}

/* Waits until a pair more fits in the window; the caller holds `input`. The pair that all wait for
 * may itself wait for memory: what the slot still has of an earlier pair is let go. */
static void wait_for_window(struct engine *engine, struct slot *slot)
{
    pthread_mutex_lock(&engine->output);
    if (is_window_full(engine) && !engine->source->kind->need) slots_drop(slot);
    while (is_window_full(engine)) pthread_cond_wait(&engine->moved, &engine->output);
    pthread_mutex_unlock(&engine->output);
}

/* Of several readers: the stretch that a pair is in. */
static uint64_t stretch_of(const struct engine *engine, uint64_t index)
{
    const struct batch_input *input = &engine->reader->input;
    return (index * input->shards + input->shard - 1) / engine->stretches.length;
}

/* Whether the reader is to wait for the record that comes next: it is at the end of its stretch,
 * and there are enough that were begun. The caller holds `output`. */
static bool is_far_ahead(struct engine *engine, const struct reader *reader)
{
    const uint64_t next = reader->next, first = stretch_of(engine, engine->order->handed);
    if (next > 0 && stretch_of(engine, next) == stretch_of(engine, next - 1)) return false;
    pthread_mutex_lock(&engine->stretches.lock);
    const bool far = engine->stretches.taken >= first + engine_window(engine->readers);
    pthread_mutex_unlock(&engine->stretches.lock);
    return far;
}

/* Whether the record that comes next will never come, for its reader could not go on. The caller
 * holds `output`. */
static bool is_lost(struct engine *engine)
{
    struct batch_stretches *all = &engine->stretches;
    const uint64_t first = stretch_of(engine, engine->order->handed);
    pthread_mutex_lock(&all->lock);
    const bool taken = first < all->taken;
    const struct reader *taker = &engine->reader[all->taker[first % BATCH_STRETCHES_AT_WORK]];
    pthread_mutex_unlock(&all->lock);
    return taken && taker->ended && taker->at_work == 0;
}

/* Of several readers: waits while this one is far ahead of others, without memory that they may
 * wait for. False: it has to end. */
static bool wait_for_others(struct engine *engine, const struct reader *reader)
{
    enum { ASK_MS = 50 };
    bool lost = false;
    pthread_mutex_lock(&engine->output);
    while (!lost && !is_stopped(engine) && is_far_ahead(engine, reader)) {
        lost = is_lost(engine);
        if (!lost) (void)clock_cond_wait(&engine->moved, &engine->output, ASK_MS);
    }
    pthread_mutex_unlock(&engine->output);
    return !lost;
}

/* The place of a pair that was begun. */
static uint64_t take_place(struct engine *engine, struct reader *reader,
                           const struct batch_pair *pair)
{
    if (engine->readers == 1) return engine->order[pair->out].begun++;
    pthread_mutex_lock(&engine->output);
    reader->next = pair->index + 1;
    reader->at_work++;
    pthread_mutex_unlock(&engine->output);
    return pair->index;
}

static void end_reader(struct engine *engine, struct reader *reader)
{
    pthread_mutex_lock(&engine->output);
    reader->ended = true;
    pthread_cond_broadcast(&engine->moved);
    pthread_mutex_unlock(&engine->output);
}

enum begun { BEGUN, AGAIN, NONE };

/* The next pair of the source. AGAIN: another thread of the reader has gone to the end of its
 * stretch, where it has to wait for others. */
static enum begun begin_pair(struct engine *engine, struct task *task)
{
    struct reader *reader = task->reader;
    pthread_mutex_lock(&reader->lock);
    if (engine->readers == 1) {
        wait_for_window(engine, task->pair.slot);
    } else {
        pthread_mutex_lock(&engine->output);
        const bool far = !is_stopped(engine) && is_far_ahead(engine, reader);
        pthread_mutex_unlock(&engine->output);
        if (far) {
            pthread_mutex_unlock(&reader->lock);
            return AGAIN;
        }
    }
    const double start = clock_ms();
    bool good = !reader->ended && !is_stopped(engine) &&
                reader->source->kind->next(reader->source, &task->pair);
    task->decode_ms = clock_ms() - start;
    if (good && is_stopped(engine)) { /* the source was cut short: this is no pair */
        record_clear(&task->pair.record);
        good = false;
    }
    if (good)
        task->index = take_place(engine, reader, &task->pair);
    else
        end_reader(engine, reader);
    pthread_mutex_unlock(&reader->lock);
    return good ? BEGUN : NONE;
}

/* Loads the pair and pins its memory, which has its pages by then: many threads read, and few lanes
 * should wait for nothing but their device. False where its record is final without scoring. */
static bool load_pair(struct task *task)
{
    ssimcu_message message = {{0}};
    if (task->pair.record.kind != RECORD_SCORED) return false;
    const double start = clock_ms();
    const struct batch_source *source = task->reader->source;
    const ssimcu_status status = source->kind->load(source, &task->pair, &message);
    task->decode_ms += clock_ms() - start;
    task->loaded = status == SSIMCU_OK;
    if (task->loaded)
        slots_pin(task->pair.slot);
    else
        record_fail(&task->pair.record, status, &message);
    return task->loaded;
}

/* A pair from the source to its lane, or to its record. False when the thread has to end. */
static bool decode_one(struct worker *worker)
{
    struct engine *engine = worker->engine;
    const struct batch_config *config = engine->config;
    const struct batch_source *source = worker->reader->source;
    if (engine->readers > 1 && !wait_for_others(engine, worker->reader)) {
        end_reader(engine, worker->reader);
        return false;
    }
    struct task task = {.reader = worker->reader,
                        .pair.slot = slots_take(&engine->slots),
                        .pair.pinned = engine->slots.pin};
    size_t need[2] = {0, 0};
    ssimcu_message message = {{0}};
    if (source->kind->need) source->kind->need(source, need);
    const ssimcu_status status = batch_reserve(&task.pair, need, 0, &message);
    if (status != SSIMCU_OK) {
        give_up(engine, &task, status, &message);
        return false;
    }
    const enum begun begun = begin_pair(engine, &task);
    if (begun != BEGUN) {
        release(&task);
        return begun == AGAIN;
    }
    struct record *record = &task.pair.record;
    record->out = task.pair.out;
    if (config->known && record->kind == RECORD_SCORED && config->known(config->user, record)) {
        deliver(engine, &task, true);
    } else if (!load_pair(&task)) {
        deliver(engine, &task, false);
    } else if (worker->context) {
        (void)score_and_deliver(worker, &task);
    } else {
        pthread_mutex_lock(&engine->output);
        push_ready(engine, &task);
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
        status = batch_open(&reader->input, &reader->source, &message);
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

void *engine_work_decoder(void *argument)
{
    struct worker *worker = argument;
    struct engine *engine = worker->engine;
    if (open_reader(worker))
        while (decode_one(worker)) continue;
    pthread_mutex_lock(&engine->output);
    leave(engine, &engine->decoders);
    pthread_mutex_unlock(&engine->output);
    return NULL;
}
