/* Running a batch: contexts, slots and threads are started here, and waited for. */
#include "engine/engine.h"

#include "base/refuse.h"
#include "start_thread.h"

#include <stdio.h>
#include <stdlib.h>

enum { GRACE_MS = 1000 /* longest wait after a stop for another pair to finish */, ASK_MS = 50 };

static uint32_t start_threads(struct worker *worker, uint32_t count, void *(*run)(void *))
{
    uint32_t started = 0;
    while (started < count && ssimcu_start_thread(&worker[started].thread, run, &worker[started]))
        started++;
    return started;
}

/* Waits until all threads have ended; the caller holds `output`. Returns false if some still run
 * long after a stop and no more pairs finish. They are then blocked in something that does not
 * answer, such as a pipe. */
static bool wait_for_end(struct engine *engine)
{
    int stopped_for = 0;
    uint64_t delivered = 0;
    while (engine->decoders + engine->contexts > 0) {
        const bool waited = !threads_cond_wait(&engine->left, &engine->output, ASK_MS);
        if (waited && engine_told_to_stop(engine)) stopped_for += ASK_MS;
        if (engine->delivered != delivered) stopped_for = 0;
        delivered = engine->delivered;
        if (stopped_for > GRACE_MS) return false;
    }
    return true;
}

/* Runs the threads to their end. Contexts start first, because decoded pairs need a context to take
 * them. */
static ssimcu_status run_threads(struct engine *engine, struct worker *decoder, uint32_t threads,
                                 struct worker *context, uint32_t contexts)
{
    const double start = ssimcu_clock_ms();
    engine->decoders = threads;
    engine->contexts = contexts;
    const uint32_t contexts_started = start_threads(context, contexts, workers_score);
    const bool none = contexts > 0 && contexts_started == 0;
    const uint32_t started = none ? 0 : start_threads(decoder, threads, workers_decode);
    pthread_mutex_lock(&engine->output);
    engine->contexts -= contexts - contexts_started;
    engine->decoders -= threads - started;
    if (started == 0)
        engine->status =
            ssimcu_fail(&engine->message, SSIMCU_ERROR_MEMORY, "cannot start a thread");
    pthread_cond_broadcast(&engine->moved);
    engine->times.abandoned = !wait_for_end(engine);
    for (uint32_t i = 0; i < engine->outs; i++) order_finish(&engine->order[i]);
    engine->times.whole = ssimcu_clock_ms() - start;
    engine->times.threads = started;
    const ssimcu_status status = engine->status;
    pthread_mutex_unlock(&engine->output);
    if (engine->times.abandoned) return status;
    for (uint32_t i = 0; i < started; i++) pthread_join(decoder[i].thread, NULL);
    for (uint32_t i = 0; i < contexts_started; i++) pthread_join(context[i].thread, NULL);
    return status;
}

/* Returns the bytes that the decoders of all readers hold. The first reader was opened as if it
 * were the only one. All others together have as many threads, so they hold as much. */
static uint64_t decoder_bytes_of_all(const struct engine *engine)
{
    const struct source_kind *kind = engine->source->kind;
    const uint64_t first = kind->decoder_bytes ? kind->decoder_bytes(engine->source) : 0;
    return engine->readers > 1 ? 2 * first : first;
}

/* Subtracts the decoders' bytes from the limit for frames, but leaves room for one pair. */
static void make_room(struct engine *engine)
{
    const struct source_kind *kind = engine->source->kind;
    const uint64_t decoders = decoder_bytes_of_all(engine);
    size_t need[2] = {0, 0};
    if (kind->need) kind->need(engine->source, need);
    const uint64_t pair = kind->need ? (uint64_t)need[0] + need[1] + (1 << 14) : 0;
    const uint64_t spare = engine->slots.limit > pair ? engine->slots.limit - pair : 0;
    engine->slots.limit -= decoders < spare ? decoders : spare;
}

/* Makes the queues of pairs: one for each GPU if frames are in GPU memory, else one. */
static bool make_queues(struct engine *engine, const struct contexts *contexts, uint32_t apart,
                        uint32_t slots)
{
    const bool by_gpu = engine->config->all_devices && engine->source->on_device;
    engine->queues = by_gpu ? contexts->gpus : 1;
    engine->queue = calloc(engine->queues, sizeof *engine->queue);
    bool all = engine->queue != NULL;
    for (uint32_t i = 0; i < engine->queues && all; i++) {
        struct queue *queue = &engine->queue[i];
        queue->contexts = (apart + engine->queues - 1 - i) / engine->queues;
        queue->ready = calloc(slots, sizeof *queue->ready);
        all = queue->ready != NULL;
    }
    return all;
}

/* Makes the threads: first those that decode, then `apart` contexts with separate threads. */
static void make_workers(struct engine *engine, const struct contexts *contexts, uint32_t threads,
                         uint32_t apart)
{
    for (uint32_t i = 0; i < threads + apart; i++) {
        struct worker *worker = &engine->worker[i];
        worker->engine = engine;
        worker->reader = &engine->reader[i % engine->readers];
        if (i >= threads) worker->queue = &engine->queue[(i - threads) % engine->queues];
        if (apart == 0) worker->context = contexts->context[i];
        if (i >= threads) worker->context = contexts->context[i - threads];
    }
}

/* Prepares slots, pinned memory and threads for the open contexts, and runs them. */
static ssimcu_status run_contexts(struct engine *engine, const struct contexts *contexts,
                                  uint32_t threads)
{
    const struct batch_config *config = engine->config;
    const bool in_place = contexts->on_cpu && config->contexts == 0;
    if (in_place && contexts->count < threads) threads = contexts->count;
    const uint32_t apart = in_place ? 0 : contexts->count;
    const uint32_t count = threads + 2 * apart; /* one pair in each context and one waiting */
    const ssimcu_context *pin = in_place ? NULL : contexts->context[0];
    struct worker *worker = engine->worker = calloc(threads + apart, sizeof *worker);
    if (!worker || !make_queues(engine, contexts, apart, count) ||
        !slots_start(&engine->slots, count, config->memory_bytes, pin))
        return ssimcu_no_memory(&engine->message, "slots");
    engine->slots.bytes_per_byte = config->bytes_per_byte;
    make_room(engine);
    make_workers(engine, contexts, threads, apart);
    const struct source_kind *kind = engine->source->kind;
    const ssimcu_frame *shared = pin && kind->shared ? kind->shared(engine->source) : NULL;
    if (shared && ssimcu_frame_pin(pin, shared, NULL) != SSIMCU_OK) shared = NULL;
    const ssimcu_status status = run_threads(engine, worker, threads, worker + threads, apart);
    if (engine->times.abandoned) return status;
    for (uint32_t i = 0; i < threads + apart; i++) learned_tiles_free(&worker[i].tiles);
    if (shared) ssimcu_frame_unpin(pin, shared);
    engine->times.slots = count;
    engine->times.readers = engine->readers;
    engine->times.memory_limit = engine->slots.limit;
    engine->times.memory_peak = engine->slots.peak;
    slots_end(&engine->slots);
    return status;
}

/* Notes the device. AUTO may have left it since: then one of the contexts that scored is on the
 * CPU. */
static void note_device(struct engine *engine, const struct contexts *contexts)
{
    struct batch_times *times = &engine->times;
    const ssimcu_context *context = contexts->context[0];
    for (uint32_t i = 0; i < contexts->count && !contexts->on_cpu && !times->fell_back; i++) {
        times->fell_back = strcmp(ssimcu_context_device(contexts->context[i]), "cpu") == 0;
        if (times->fell_back) context = contexts->context[i];
    }
    snprintf(times->device, sizeof times->device, "%s",
             engine->config->all_devices ? "all" : ssimcu_context_device(context));
    snprintf(times->reason, sizeof times->reason, "%s", ssimcu_context_reason(context));
}

static ssimcu_status run(struct engine *engine, uint32_t threads)
{
    const struct batch_config *config = engine->config;
    struct batch_times *times = &engine->times;
    struct contexts contexts;
    const double start = ssimcu_clock_ms();
    ssimcu_status status = contexts_open(config, threads, &contexts, &engine->message);
    times->start = ssimcu_clock_ms() - start;
    times->contexts = contexts.count;
    if (status == SSIMCU_OK && engine->source->on_device && contexts.count < contexts.gpus)
        status = ssimcu_no_memory(&engine->message, "a context on each GPU that decodes");
    if (status == SSIMCU_OK) status = run_contexts(engine, &contexts, threads);
    if (contexts.count > 0) note_device(engine, &contexts);
    if (!times->abandoned) contexts_close(&contexts);
    return status;
}

ssimcu_status batch_run(const struct batch_config *config, struct source *source,
                        struct batch_times *times, ssimcu_message *message)
{
    const uint32_t asked = config->settings.threads;
    const uint32_t threads = asked > 0 ? asked : ssimcu_cpu_threads();
    struct engine *engine = calloc(1, sizeof *engine);
    *times = (struct batch_times){0};
    if (!engine) return no_memory(message);
    engine->config = config;
    engine->outs = source->outs > 0 ? source->outs : 1;
    const struct source_input *const input = source->input;
    if (readers_make(engine, source))
        engine->order =
            order_make(config, source->kind->sequence, engine->outs, readers_window(engine));
    if (!engine->order) {
        if (engine->reader) readers_end(engine, input);
        free(engine);
        return no_memory(message);
    }
    pthread_mutex_init(&engine->output, NULL);
    threads_cond_init(&engine->moved);
    threads_cond_init(&engine->left);
    const ssimcu_status status = run(engine, threads > engine->readers ? threads : engine->readers);
    *times = engine->times;
    *message = engine->message;
    if (times->abandoned) return status; /* threads still use the memory */
    pthread_cond_destroy(&engine->left);
    pthread_cond_destroy(&engine->moved);
    pthread_mutex_destroy(&engine->output);
    readers_end(engine, input);
    order_free(engine->order, engine->outs);
    for (uint32_t i = 0; engine->queue && i < engine->queues; i++) free(engine->queue[i].ready);
    free(engine->queue);
    free(engine->worker);
    free(engine);
    return status;
}
