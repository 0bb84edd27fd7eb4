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
static void release(const struct engine *engine, struct task *task)
{
    const struct batch_source_kind *kind = engine->source->kind;
    if (kind->release) kind->release(engine->source, &task->pair);
    slots_give(task->pair.slot);
}

/* The task's record is final: it waits for its turn, the slot is free again. */
static void deliver(struct engine *engine, struct task *task, bool known)
{
    pthread_mutex_lock(&engine->output);
    struct order *order = &engine->order[task->pair.out];
    order_put(order, task->index, &task->pair.record, task->looked, known);
    if (order->refused) atomic_store(&engine->stop, true);
    add_times(&engine->times, task);
    pthread_cond_broadcast(&engine->moved);
    pthread_mutex_unlock(&engine->output);
    release(engine, task);
}

/* Something that concerns no single pair: the batch ends. The task's pair has no record. */
static void give_up(struct engine *engine, struct task *task, ssimcu_status status,
                    const ssimcu_message *message)
{
    pthread_mutex_lock(&engine->output);
    if (engine->status == SSIMCU_OK) {
        engine->status = status;
        engine->message = *message;
    }
    atomic_store(&engine->stop, true);
    pthread_cond_broadcast(&engine->moved);
    pthread_mutex_unlock(&engine->output);
    record_clear(&task->pair.record);
    release(engine, task);
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

/* The next pair of the source. False: there is none. */
static bool begin_pair(struct engine *engine, struct task *task)
{
    pthread_mutex_lock(&engine->input);
    wait_for_window(engine, task->pair.slot);
    const double start = clock_ms();
    bool good = !engine->ended && !is_stopped(engine) &&
                engine->source->kind->next(engine->source, &task->pair);
    task->decode_ms = clock_ms() - start;
    if (good && is_stopped(engine)) { /* the source was cut short: this is no pair */
        record_clear(&task->pair.record);
        good = false;
    }
    if (good)
        task->index = engine->order[task->pair.out].begun++;
    else
        engine->ended = true;
    pthread_mutex_unlock(&engine->input);
    return good;
}

/* Loads the pair and pins its memory, which has its pages by then: many threads read, and few lanes
 * should wait for nothing but their device. False where its record is final without scoring. */
static bool load_pair(struct engine *engine, struct task *task)
{
    ssimcu_message message = {{0}};
    if (task->pair.record.kind != RECORD_SCORED) return false;
    const double start = clock_ms();
    const ssimcu_status status = engine->source->kind->load(engine->source, &task->pair, &message);
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
    const struct batch_source_kind *kind = engine->source->kind;
    struct task task = {.pair.slot = slots_take(&engine->slots), .pair.pinned = engine->slots.pin};
    size_t need[2] = {0, 0};
    ssimcu_message message = {{0}};
    if (kind->need) kind->need(engine->source, need);
    const ssimcu_status status = batch_reserve(&task.pair, need, 0, &message);
    if (status != SSIMCU_OK) {
        give_up(engine, &task, status, &message);
        return false;
    }
    if (!begin_pair(engine, &task)) {
        release(engine, &task);
        return false;
    }
    struct record *record = &task.pair.record;
    record->out = task.pair.out;
    if (config->known && record->kind == RECORD_SCORED && config->known(config->user, record)) {
        deliver(engine, &task, true);
    } else if (!load_pair(engine, &task)) {
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

void *engine_work_decoder(void *argument)
{
    struct worker *worker = argument;
    struct engine *engine = worker->engine;
    while (decode_one(worker)) continue;
    pthread_mutex_lock(&engine->output);
    leave(engine, &engine->decoders);
    pthread_mutex_unlock(&engine->output);
    return NULL;
}
