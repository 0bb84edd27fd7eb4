#include "batch/lanes.h"
#include "batch/order.h"
#include "batch/slots.h"
#include "batch/threads.h"

#include "fail.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { GRACE_MS = 1000 /* after a stop, for pairs that are begun */, ASK_MS = 50 };

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

    pthread_mutex_t input; /* guards the source and `begun` of the orders */
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

/* ---- Records --------------------------------------------------------------------------------- */

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

static void *work_lane(void *argument)
{
    struct worker *worker = argument;
    struct task task;
    while (wait_for_ready(worker->engine, &task))
        if (!score_and_deliver(worker, &task)) break;
    return NULL;
}

/* ---- Decoding -------------------------------------------------------------------------------- */

static bool was_told_to_stop(const struct engine *engine)
{
    return engine->config->stopped && engine->config->stopped();
}

static bool is_stopped(struct engine *engine)
{
    return atomic_load(&engine->stop) || was_told_to_stop(engine);
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
    const size_t need = kind->need ? kind->need(engine->source) : 0;
    ssimcu_message message = {{0}};
    const ssimcu_status status =
        batch_reserve(&task.pair, (const size_t[2]){need, need}, 0, &message);
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

static void *work_decoder(void *argument)
{
    struct worker *worker = argument;
    struct engine *engine = worker->engine;
    while (decode_one(worker)) continue;
    pthread_mutex_lock(&engine->output);
    leave(engine, &engine->decoders);
    pthread_mutex_unlock(&engine->output);
    return NULL;
}

/* ---- Starting and ending --------------------------------------------------------------------- */

static uint32_t start_threads(struct worker *worker, uint32_t count, void *(*run)(void *))
{
    uint32_t started = 0;
    while (started < count && thread_start(&worker[started].thread, run, &worker[started]))
        started++;
    return started;
}

/* Waits for the end of all threads; the caller holds `output`. False where some are still at work
 * long after a stop: they hang in something that does not answer, such as a pipe. */
static bool wait_for_end(struct engine *engine)
{
    int stopped_for = 0;
    while (engine->decoders + engine->lanes > 0) {
        const bool waited = !clock_cond_wait(&engine->left, &engine->output, ASK_MS);
        if (waited && was_told_to_stop(engine)) stopped_for += ASK_MS;
        if (stopped_for > GRACE_MS) return false;
    }
    return true;
}

/* Runs the threads to their end. Lanes come first: decoded pairs need somebody to take them. */
static ssimcu_status run_threads(struct engine *engine, struct worker *decoder, uint32_t threads,
                                 struct worker *lane, uint32_t lanes)
{
    const double start = clock_ms();
    engine->decoders = threads;
    engine->lanes = lanes;
    const uint32_t lanes_started = start_threads(lane, lanes, work_lane);
    const bool none = lanes > 0 && lanes_started == 0;
    const uint32_t started = none ? 0 : start_threads(decoder, threads, work_decoder);
    pthread_mutex_lock(&engine->output);
    engine->lanes -= lanes - lanes_started;
    engine->decoders -= threads - started;
    if (started == 0)
        engine->status = ssimcu_fail(&engine->message, SSIMCU_ERROR_MEMORY, "no thread to be had");
    pthread_cond_broadcast(&engine->moved);
    engine->times.abandoned = !wait_for_end(engine);
    for (uint32_t i = 0; i < engine->outs; i++) order_finish(&engine->order[i]);
    engine->times.whole = clock_ms() - start;
    engine->times.threads = started;
    const ssimcu_status status = engine->status;
    pthread_mutex_unlock(&engine->output);
    if (engine->times.abandoned) return status;
    for (uint32_t i = 0; i < started; i++) pthread_join(decoder[i].thread, NULL);
    for (uint32_t i = 0; i < lanes_started; i++) pthread_join(lane[i].thread, NULL);
    return status;
}

/* What decoders hold leaves less for frames, but room for a pair. */
static void make_room(struct engine *engine)
{
    const struct batch_source_kind *kind = engine->source->kind;
    const uint64_t held = kind->held ? kind->held(engine->source) : 0;
    const uint64_t pair = kind->need ? 2 * (uint64_t)kind->need(engine->source) + (1 << 14) : 0;
    const uint64_t spare = engine->slots.limit > pair ? engine->slots.limit - pair : 0;
    engine->slots.limit -= held < spare ? held : spare;
}

/* Slots, pinned memory and threads for the lanes that are open. */
static ssimcu_status run_lanes(struct engine *engine, const struct lanes *lanes, uint32_t threads)
{
    const struct batch_config *config = engine->config;
    const bool in_place = lanes->on_cpu && config->lanes == 0;
    if (in_place && lanes->count < threads) threads = lanes->count;
    const uint32_t apart = in_place ? 0 : lanes->count;
    const uint32_t count = threads + 2 * apart; /* a lane holds one and finds one more waiting */
    const ssimcu_context *pin = in_place ? NULL : lanes->context[0];
    struct worker *worker = engine->worker = calloc(threads + apart, sizeof *worker);
    engine->ready = calloc(count, sizeof *engine->ready);
    if (!worker || !engine->ready || !slots_start(&engine->slots, count, config->memory_bytes, pin))
        return ssimcu_fail(&engine->message, SSIMCU_ERROR_MEMORY, "out of memory for slots");
    engine->slots.bytes_per_byte = config->bytes_per_byte;
    make_room(engine);
    const uint32_t first = in_place ? 0 : threads; /* that has a context */
    for (uint32_t i = 0; i < threads + apart; i++)
        worker[i] = (struct worker){engine, i < first ? NULL : lanes->context[i - first], 0};
    const struct batch_source_kind *kind = engine->source->kind;
    const ssimcu_frame *shared = pin && kind->shared ? kind->shared(engine->source) : NULL;
    if (shared && ssimcu_frame_pin(pin, shared, NULL) != SSIMCU_OK) shared = NULL;
    const ssimcu_status status = run_threads(engine, worker, threads, worker + threads, apart);
    if (engine->times.abandoned) return status;
    if (shared) ssimcu_frame_unpin(pin, shared);
    engine->times.slots = count;
    engine->times.memory_limit = engine->slots.limit;
    engine->times.memory_peak = engine->slots.peak;
    slots_end(&engine->slots);
    return status;
}

static ssimcu_status run(struct engine *engine, uint32_t threads)
{
    const struct batch_config *config = engine->config;
    struct batch_times *times = &engine->times;
    struct lanes lanes;
    const double start = clock_ms();
    ssimcu_status status = lanes_open(config, threads, &lanes, &engine->message);
    times->start = clock_ms() - start;
    times->lanes = lanes.count;
    if (lanes.count > 0) {
        snprintf(times->device, sizeof times->device, "%s",
                 config->all_devices ? "all" : ssimcu_context_device(lanes.context[0]));
        snprintf(times->reason, sizeof times->reason, "%s",
                 ssimcu_context_reason(lanes.context[0]));
    }
    if (status == SSIMCU_OK) status = run_lanes(engine, &lanes, threads);
    if (!times->abandoned) lanes_close(&lanes);
    return status;
}

ssimcu_status batch_run(const struct batch_config *config, struct batch_source *source,
                        struct batch_times *times, ssimcu_message *message)
{
    const uint32_t most = ssimcu_cpu_threads(), asked = config->settings.threads;
    struct engine *engine = calloc(1, sizeof *engine);
    *times = (struct batch_times){0};
    if (!engine) return ssimcu_fail(message, SSIMCU_ERROR_MEMORY, "out of memory");
    engine->config = config;
    engine->source = source;
    engine->outs = source->outs > 0 ? source->outs : 1;
    engine->order = orders_make(config, source->kind->sequence, engine->outs);
    if (!engine->order) {
        free(engine);
        return ssimcu_fail(message, SSIMCU_ERROR_MEMORY, "out of memory");
    }
    pthread_mutex_init(&engine->input, NULL);
    pthread_mutex_init(&engine->output, NULL);
    pthread_cond_init(&engine->moved, NULL);
    clock_cond_init(&engine->left);
    const ssimcu_status status = run(engine, asked > 0 && asked < most ? asked : most);
    *times = engine->times;
    *message = engine->message;
    if (times->abandoned) return status; /* what threads still use stays */
    pthread_cond_destroy(&engine->left);
    pthread_cond_destroy(&engine->moved);
    pthread_mutex_destroy(&engine->output);
    pthread_mutex_destroy(&engine->input);
    free(engine->order);
    free(engine->ready);
    free(engine->worker);
    free(engine);
    return status;
}
