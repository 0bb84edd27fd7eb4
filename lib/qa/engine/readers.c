/* Readers, which go through the pairs side by side. */
#include "engine/engine.h"

#include <stdlib.h>

/* Returns how many stretches may be taken before the first of them has its records. */
static uint32_t most_stretches(const struct engine *engine) { return 2 * engine->readers; }

/* Each reader may go one stretch beyond most_stretches. */
uint32_t readers_window(const struct engine *engine)
{
    const uint32_t stretches = most_stretches(engine) + engine->readers + 1;
    const uint32_t shards = engine->readers > 1 ? engine->reader->input.shards : 1;
    return engine->readers > 1 ? (stretches * engine->stretches.length + shards - 1) / shards
                               : ORDER_WINDOW;
}

static void start_reader(struct engine *engine, uint32_t number, const struct source_input *input)
{
    struct reader *reader = &engine->reader[number];
    reader->input = *input;
    reader->input.reader = number;
    reader->input.stretches = &engine->stretches;
    reader->input.threads = (input->threads + engine->readers - 1) / engine->readers;
    if (number > 0 && input->decode == DECODE_CUDA) reader->input.decode = DECODE_AUTO;
}

bool readers_make(struct engine *engine, struct source *source)
{
    const struct source_input *input = source->input;
    const uint32_t asked = engine->config->readers,
                   wanted = asked < SOURCE_MOST_READERS ? asked : SOURCE_MOST_READERS;
    struct source_split split = {.readers = 1};
    if (input && source->kind->split) split = source->kind->split(source, wanted);
    engine->readers = split.readers;
    engine->stretches.length = split.length;
    engine->reader = calloc(engine->readers, sizeof *engine->reader);
    if (!engine->reader) return false;
    pthread_mutex_init(&engine->stretches.lock, NULL);
    for (uint32_t i = 0; i < engine->readers; i++) {
        pthread_mutex_init(&engine->reader[i].lock, NULL);
        if (engine->readers > 1) start_reader(engine, i, input);
    }
    engine->reader[0].source = engine->source = source;
    if (engine->readers > 1) source->input = &engine->reader[0].input;
    return true;
}

void readers_end(struct engine *engine, const struct source_input *input)
{
    struct source *const source = engine->source;
    for (uint32_t i = 0; i < engine->readers; i++) {
        struct reader *reader = &engine->reader[i];
        pthread_mutex_destroy(&reader->lock);
        if (i == 0 || !reader->source) continue;
        if (!source->damage.text[0]) source->damage = reader->source->damage;
        if (!source->out->damage.text[0]) source->out->damage = reader->source->out->damage;
        source_close(reader->source);
    }
    source->input = input;
    pthread_mutex_destroy(&engine->stretches.lock);
    free(engine->reader);
}

/* ---- Waiting for each other ------------------------------------------------------------------ */

/* Returns the stretch of a pair of several readers. */
static uint64_t stretch_of(const struct engine *engine, uint64_t index)
{
    const struct source_input *input = &engine->reader->input;
    return (index * input->shards + input->shard - 1) / engine->stretches.length;
}

/* A reader waits only at the end of its stretch, and only if enough stretches are taken. */
bool readers_far_ahead(struct engine *engine, const struct reader *reader)
{
    const uint64_t next = reader->next, first = stretch_of(engine, engine->order->next_record);
    if (next > 0 && stretch_of(engine, next) == stretch_of(engine, next - 1)) return false;
    pthread_mutex_lock(&engine->stretches.lock);
    const bool far = engine->stretches.next >= first + most_stretches(engine);
    pthread_mutex_unlock(&engine->stretches.lock);
    return far;
}

/* Returns whether the next record will never come, because its reader could not go on. The caller
 * holds `output`. */
static bool is_lost(struct engine *engine)
{
    struct stretches *all = &engine->stretches;
    const uint64_t first = stretch_of(engine, engine->order->next_record);
    pthread_mutex_lock(&all->lock);
    const bool has_reader = first < all->next;
    const struct reader *taker = &engine->reader[all->taker[first % STRETCHES_AT_WORK]];
    pthread_mutex_unlock(&all->lock);
    return has_reader && taker->ended && taker->at_work == 0;
}

bool readers_wait(struct engine *engine, const struct reader *reader)
{
    enum { ASK_MS = 50 };
    bool lost = false;
    pthread_mutex_lock(&engine->output);
    while (!lost && !engine_is_stopped(engine) && readers_far_ahead(engine, reader)) {
        lost = is_lost(engine);
        if (!lost) (void)threads_cond_wait(&engine->moved, &engine->output, ASK_MS);
    }
    pthread_mutex_unlock(&engine->output);
    return !lost;
}
