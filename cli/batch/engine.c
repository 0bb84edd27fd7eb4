#define _POSIX_C_SOURCE 200809L

#include "batch/engine.h"

#include "fail.h"

#include "batch/lanes.h"
#include "batch/order.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct engine {
    const struct engine_plan *plan;
    struct slots slots;
    atomic_bool stop; /* begin no more frames */

    pthread_mutex_t input; /* guards the source and `begun` */
    uint64_t begun;
    bool ended;

    pthread_mutex_t output; /* guards the rest */
    pthread_cond_t moved;   /* `order` or `ready` changed */
    struct order order;
    struct slot **ready; /* a ring, as large as there are slots */
    uint32_t ready_at, ready_count;
    uint32_t decoders, lanes; /* still at work */
    ssimcu_status status;
    ssimcu_message message;
    struct engine_times times;
};

/* One thread. */
struct worker {
    struct engine *engine;
    ssimcu_context *context; /* a lane's; NULL: it decodes only */
    pthread_t thread;
};

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* ---- Results --------------------------------------------------------------------------------- */

static void add_times(struct engine_times *times, const struct slot *slot)
{
    times->frames += slot->loaded;
    times->decode += slot->decode_ms;
    times->score += slot->score_ms;
    times->stage.upload += slot->ms.upload;
    times->stage.planes += slot->ms.planes;
    times->stage.ssim += slot->ms.ssim;
    times->stage.reduce += slot->ms.reduce;
    times->stage.download += slot->ms.download;
}

/* The slot's record is final: it waits for its turn, the slot is free again. */
static void deliver(struct engine *engine, struct slot *slot, bool known)
{
    pthread_mutex_lock(&engine->output);
    order_put(&engine->order, slot->index, &slot->record, known);
    if (engine->order.refused) atomic_store(&engine->stop, true);
    add_times(&engine->times, slot);
    pthread_cond_broadcast(&engine->moved);
    pthread_mutex_unlock(&engine->output);
    slots_give(&engine->slots, slot);
}

/* Something that concerns no single frame: the batch ends. The slot's frame has no record. */
static void give_up(struct engine *engine, struct slot *slot, ssimcu_status status,
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
    record_clear(&slot->record);
    slots_give(&engine->slots, slot);
}

/* ---- Scoring --------------------------------------------------------------------------------- */

/* Another lane may have the memory that this one lacks: it leaves its pair to them and ends. */
static bool pass_on(struct engine *engine, struct slot *slot)
{
    const uint32_t count = engine->slots.count;
    pthread_mutex_lock(&engine->output);
    const bool others = engine->lanes > 1;
    if (others) {
        engine->lanes--;
        engine->ready[(engine->ready_at + engine->ready_count++) % count] = slot;
        pthread_cond_broadcast(&engine->moved);
    }
    pthread_mutex_unlock(&engine->output);
    return others;
}

/* False when the lane has to end. */
static bool score_and_deliver(struct worker *worker, struct slot *slot)
{
    ssimcu_message message = {{0}};
    const double start = now_ms();
    const ssimcu_status status = lanes_score(worker->context, slot, &message);
    slot->score_ms = now_ms() - start;
    switch (status) {
    case SSIMCU_OK: break;
    case SSIMCU_ERROR_MEMORY:
        if (pass_on(worker->engine, slot)) return false;
        record_fail(&slot->record, status, &message);
        break;
    case SSIMCU_ERROR_MISMATCH:
    case SSIMCU_ERROR_TOO_SMALL:
    case SSIMCU_ERROR_UNSUPPORTED:
    case SSIMCU_ERROR_LIMIT: record_fail(&slot->record, status, &message); break;
    default: give_up(worker->engine, slot, status, &message); return true;
    }
    deliver(worker->engine, slot, false);
    return true;
}

static struct slot *wait_for_ready(struct engine *engine)
{
    struct slot *slot = NULL;
    pthread_mutex_lock(&engine->output);
    while (engine->ready_count == 0 && engine->decoders > 0)
        pthread_cond_wait(&engine->moved, &engine->output);
    if (engine->ready_count > 0) {
        slot = engine->ready[engine->ready_at];
        engine->ready_at = (engine->ready_at + 1) % engine->slots.count;
        engine->ready_count--;
    } else {
        engine->lanes--;
    }
    pthread_mutex_unlock(&engine->output);
    return slot;
}

static void *run_lane(void *argument)
{
    struct worker *worker = argument;
    struct slot *slot;
    while ((slot = wait_for_ready(worker->engine)) != NULL)
        if (!score_and_deliver(worker, slot)) break;
    return NULL;
}

/* ---- Decoding -------------------------------------------------------------------------------- */

static bool is_stopped(struct engine *engine)
{
    return atomic_load(&engine->stop) || (engine->plan->stopped && engine->plan->stopped());
}

/* Waits until a frame more fits in the window; the caller holds `input`. */
static void wait_for_window(struct engine *engine)
{
    pthread_mutex_lock(&engine->output);
    while (engine->begun - engine->order.handed >= ORDER_WINDOW && engine->status == SSIMCU_OK)
        pthread_cond_wait(&engine->moved, &engine->output);
    pthread_mutex_unlock(&engine->output);
}

/* The next frame of the source, or of what lies in the slot already. False: there is none. */
static bool begin_frame(struct engine *engine, struct slot *slot)
{
    const struct engine_plan *plan = engine->plan;
    const bool again = plan->stages == ENGINE_SCORE && slot->loaded;
    pthread_mutex_lock(&engine->input);
    wait_for_window(engine);
    bool good = !engine->ended && !is_stopped(engine);
    if (good && again)
        slot->record = (struct record){.frame = (int64_t)engine->begun};
    else if (good)
        good = source_next(plan->source, slot);
    if (plan->stages == ENGINE_SCORE && engine->begun >= plan->repeat) good = false;
    if (good && is_stopped(engine)) { /* the source was cut short: this is no frame */
        record_clear(&slot->record);
        good = false;
    }
    if (good)
        slot->index = engine->begun++;
    else
        engine->ended = true;
    pthread_mutex_unlock(&engine->input);
    return good;
}

/* Fills the slot and pins its memory, which has its pages by then: many threads read, and few lanes
 * should wait for nothing but their device. False where its record is final without scoring. */
static bool load_frame(struct engine *engine, struct slot *slot)
{
    ssimcu_message message = {{0}};
    slot->decode_ms = slot->score_ms = 0;
    slot->ms = (ssimcu_stage_ms){0};
    if (slot->record.kind != RECORD_SCORED) return false;
    if (slot->loaded) return true; /* ENGINE_SCORE */
    const double start = now_ms();
    const ssimcu_status status = source_load(engine->plan->source, &engine->slots, slot, &message);
    slot->decode_ms = now_ms() - start;
    if (status != SSIMCU_OK) record_fail(&slot->record, status, &message);
    if (status != SSIMCU_OK || engine->plan->stages == ENGINE_DECODE) return false;
    slots_pin(&engine->slots, slot);
    return true;
}

static void push_ready(struct engine *engine, struct slot *slot)
{
    pthread_mutex_lock(&engine->output);
    engine->ready[(engine->ready_at + engine->ready_count++) % engine->slots.count] = slot;
    pthread_cond_broadcast(&engine->moved);
    pthread_mutex_unlock(&engine->output);
}

static void *run_decoder(void *argument)
{
    struct worker *worker = argument;
    struct engine *engine = worker->engine;
    const struct engine_plan *plan = engine->plan;
    ssimcu_message message = {{0}};
    for (;;) {
        struct slot *slot = slots_take(&engine->slots);
        const ssimcu_status status = source_prepare(plan->source, &engine->slots, slot, &message);
        if (status != SSIMCU_OK) {
            give_up(engine, slot, status, &message);
            break;
        }
        if (!begin_frame(engine, slot)) {
            slots_give(&engine->slots, slot);
            break;
        }
        if (plan->known && slot->record.kind == RECORD_SCORED &&
            plan->known(plan->user, &slot->record)) {
            slot->loaded = false;
            slot->decode_ms = slot->score_ms = 0;
            slot->ms = (ssimcu_stage_ms){0};
            deliver(engine, slot, true);
        } else if (!load_frame(engine, slot)) {
            deliver(engine, slot, false);
        } else if (worker->context) {
            (void)score_and_deliver(worker, slot);
        } else {
            push_ready(engine, slot);
        }
    }
    pthread_mutex_lock(&engine->output);
    engine->decoders--;
    pthread_cond_broadcast(&engine->moved);
    pthread_mutex_unlock(&engine->output);
    return NULL;
}

/* ---- Starting and ending --------------------------------------------------------------------- */

/* Threads take no signals: they are for the main thread. */
static uint32_t start_threads(struct worker *worker, uint32_t count, void *(*run)(void *))
{
    uint32_t started = 0;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (started < count &&
           pthread_create(&worker[started].thread, NULL, run, &worker[started]) == 0)
        started++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

/* Runs the threads to their end. Lanes come first: decoded frames need somebody to take them. */
static ssimcu_status run_threads(struct engine *engine, struct worker *decoder, uint32_t threads,
                                 struct worker *lane, uint32_t lanes)
{
    const double start = now_ms();
    engine->decoders = threads;
    engine->lanes = lanes;
    const uint32_t lanes_started = start_threads(lane, lanes, run_lane);
    const bool none = lanes > 0 && lanes_started == 0;
    const uint32_t started = none ? 0 : start_threads(decoder, threads, run_decoder);
    pthread_mutex_lock(&engine->output);
    engine->lanes -= lanes - lanes_started;
    engine->decoders -= threads - started;
    if (started == 0)
        engine->status = ssimcu_fail(&engine->message, SSIMCU_ERROR_MEMORY, "no thread to be had");
    pthread_cond_broadcast(&engine->moved);
    pthread_mutex_unlock(&engine->output);
    for (uint32_t i = 0; i < started; i++) pthread_join(decoder[i].thread, NULL);
    for (uint32_t i = 0; i < lanes_started; i++) pthread_join(lane[i].thread, NULL);
    order_finish(&engine->order, engine->begun);
    engine->times.whole = now_ms() - start;
    engine->times.threads = started;
    return engine->status;
}

/* Slots, pinned memory and threads for the lanes that are open. */
static ssimcu_status run_lanes(struct engine *engine, struct worker *lane, struct worker *decoder,
                               uint32_t threads, bool in_place)
{
    const struct engine_plan *plan = engine->plan;
    const uint32_t lanes = engine->lanes;
    const ssimcu_context *pin = in_place ? NULL : lane[0].context;
    const ssimcu_frame *shared = pin ? source_shared(plan->source) : NULL;
    /* the CPU scores in place; a lane holds one slot and finds one more waiting */
    const uint32_t count = in_place ? threads : threads + 2 * lanes;
    engine->ready = calloc(count, sizeof *engine->ready);
    if (!engine->ready ||
        !slots_start(&engine->slots, count, slots_limit(plan->options->batch.memory_bytes), pin))
        return ssimcu_fail(&engine->message, SSIMCU_ERROR_MEMORY, "out of memory for slots");
    if (shared && ssimcu_frame_pin(pin, shared, NULL) != SSIMCU_OK) shared = NULL;
    for (uint32_t i = 0; i < threads; i++)
        decoder[i] =
            (struct worker){.engine = engine, .context = in_place ? lane[i].context : NULL};
    const bool scoring = !in_place && plan->stages != ENGINE_DECODE;
    const ssimcu_status status = run_threads(engine, decoder, threads, lane, scoring ? lanes : 0);
    if (shared) ssimcu_frame_unpin(pin, shared);
    engine->times.lanes = lanes;
    engine->times.slots = count;
    engine->times.memory_limit = engine->slots.limit;
    engine->times.memory_peak = engine->slots.peak;
    slots_end(&engine->slots);
    return status;
}

/* Opens the lanes and says so in the times. */
static ssimcu_status start_lanes(struct engine *engine, struct worker *lane, uint32_t threads,
                                 bool *on_cpu)
{
    const double start = now_ms();
    ssimcu_context **context = calloc(lanes_most(threads), sizeof *context);
    if (!context) return ssimcu_fail(&engine->message, SSIMCU_ERROR_MEMORY, "out of memory");
    const ssimcu_status status = lanes_open(engine->plan->options, threads, context, &engine->lanes,
                                            on_cpu, &engine->message);
    for (uint32_t i = 0; i < engine->lanes; i++)
        lane[i] = (struct worker){.engine = engine, .context = context[i]};
    if (engine->lanes > 0) {
        snprintf(engine->times.device, sizeof engine->times.device, "%s",
                 engine->plan->options->all_devices ? "all" : ssimcu_context_device(context[0]));
        snprintf(engine->times.reason, sizeof engine->times.reason, "%s",
                 ssimcu_context_reason(context[0]));
    }
    free(context);
    engine->times.start = now_ms() - start;
    return status;
}

static ssimcu_status run(struct engine *engine, struct worker *lane, struct worker *decoder,
                         uint32_t threads)
{
    bool on_cpu = false;
    pthread_mutex_init(&engine->input, NULL);
    pthread_mutex_init(&engine->output, NULL);
    pthread_cond_init(&engine->moved, NULL);
    ssimcu_status status = start_lanes(engine, lane, threads, &on_cpu);
    const uint32_t lanes = engine->lanes;
    const bool in_place = on_cpu && !engine->plan->split;
    if (in_place && lanes < threads) threads = lanes;
    if (status == SSIMCU_OK) status = run_lanes(engine, lane, decoder, threads, in_place);
    for (uint32_t i = 0; i < lanes; i++) ssimcu_close(&lane[i].context);
    pthread_cond_destroy(&engine->moved);
    pthread_mutex_destroy(&engine->output);
    pthread_mutex_destroy(&engine->input);
    free(engine->ready);
    return status;
}

ssimcu_status engine_run(const struct engine_plan *plan, struct engine_times *times,
                         ssimcu_message *message)
{
    const uint32_t most = ssimcu_cpu_threads(), asked = plan->options->settings.threads;
    const uint32_t threads = asked > 0 && asked < most ? asked : most;
    struct engine *engine = calloc(1, sizeof *engine);
    struct worker *lane = calloc(lanes_most(threads), sizeof *lane);
    struct worker *decoder = calloc(threads, sizeof *decoder);
    ssimcu_status status = SSIMCU_ERROR_MEMORY;
    if (engine && lane && decoder) {
        engine->plan = plan;
        engine->order.take = plan->take;
        engine->order.user = plan->user;
        status = run(engine, lane, decoder, threads);
        *times = engine->times;
        *message = engine->message;
    } else {
        (void)ssimcu_fail(message, status, "out of memory");
    }
    free(engine);
    free(lane);
    free(decoder);
    return status;
}
