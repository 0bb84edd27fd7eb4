/* Readers, which go through the pairs concurrently. */
#include "engine/engine.h"

#include <stdlib.h>

/* Returns how many chunks may be taken while the first of them lacks records. */
static uint32_t most_chunks(const struct engine *engine) { return 2 * engine->readers; }

/* Each reader may go two chunks beyond most_chunks. It does so when no other OUT has the last frame
 * of its chunk, and when others take chunks at the same time. */
uint32_t readers_window(const struct engine *engine)
{
    const uint32_t chunks = most_chunks(engine) + 2 * engine->readers + 1;
    const struct source_input *input = &engine->reader->input;
    const uint32_t shards = engine->readers > 1 && input->end == 0 ? input->shards : 1;
    return engine->readers > 1 ? (chunks * engine->chunks.length + shards - 1) / shards
                               : ORDER_WINDOW;
}

_Static_assert(4 * SOURCE_MOST_READERS + 1 < CHUNKS_AT_WORK, "a place for each stretch");

static void start_reader(struct engine *engine, uint32_t number, uint32_t gpus,
                         const struct source_input *input)
{
    struct reader *reader = &engine->reader[number];
    reader->input = *input;
    reader->input.reader = number;
    reader->input.chunks = &engine->chunks;
    if (gpus > 0) reader->input.gpu = number % gpus;
    reader->input.threads = (input->threads + engine->readers - 1) / engine->readers;
    if (number > 0 && input->decode == SSIMCU_DECODE_CUDA)
        reader->input.decode = SSIMCU_DECODE_AUTO;
}

bool readers_make(struct engine *engine, struct source *source)
{
    const struct source_input *input = source->input;
    const uint32_t asked = engine->config->readers,
                   wanted = asked < SOURCE_MOST_READERS ? asked : SOURCE_MOST_READERS;
    struct source_split split = {.readers = 1};
    if (input && source->kind->split) split = source->kind->split(source, wanted);
    engine->readers = split.readers;
    engine->chunks.length = split.length;
    if (engine->readers > 1 && input->frames && !share_number(&engine->chunks, input->frames))
        return false;
    engine->reader = calloc(engine->readers, sizeof *engine->reader);
    if (!engine->reader) free(engine->chunks.of);
    if (!engine->reader) return false;
    share_init(&engine->chunks);
    for (uint32_t i = 0; i < engine->readers; i++) {
        pthread_mutex_init(&engine->reader[i].lock, NULL);
        if (engine->readers > 1) start_reader(engine, i, split.gpus, input);
    }
    if (engine->readers > 1 && input->end > 0) /* earlier ones belong to other shares */
        engine->chunks.next = engine->first_chunk = input->begin / split.length;
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
        for (uint32_t o = 0; o < engine->outs; o++) {
            struct source_out *out = &source->out[o];
            if (!out->damage.text[0]) out->damage = reader->source->out[o].damage;
        }
        source_close(reader->source);
    }
    source->input = input;
    share_destroy(&engine->chunks);
    free(engine->reader);
}

struct queue *readers_queue(const struct engine *engine, const struct reader *reader)
{
    return &engine->queue[engine->queues > 1 ? reader->input.gpu : 0];
}

/* ---- Waiting for each other ------------------------------------------------------------------ */

/* Returns the chunk of a pair of several readers. */
static uint64_t chunk_of(const struct engine *engine, uint64_t index)
{
    const struct source_input *input = &engine->reader->input;
    return share_chunk(input, share_position(input, index));
}

void readers_begin(struct engine *engine, struct reader *reader, const struct pair *pair)
{
    if (engine->readers == 1) return;
    reader->next = pair->index + !pair->more;
    reader->within = pair->more;
    engine->at_work[chunk_of(engine, pair->index) % CHUNKS_AT_WORK]++;
}

void readers_end_pair(struct engine *engine, uint64_t index)
{
    if (engine->readers > 1) engine->at_work[chunk_of(engine, index) % CHUNKS_AT_WORK]--;
}

/* Returns the reader that took a chunk; may be NULL. Writes how many chunks are taken. */
static const struct reader *taker_of(struct engine *engine, uint64_t chunk, uint64_t *taken)
{
    struct chunks *all = &engine->chunks;
    pthread_mutex_lock(&all->lock);
    *taken = all->next;
    const uint32_t taker = all->taker[chunk % CHUNKS_AT_WORK];
    pthread_mutex_unlock(&all->lock);
    return chunk < *taken ? &engine->reader[taker] : NULL;
}

/* Finds the first chunk that lacks records, and returns how many are taken. The orders of several
 * OUTs do not show this, because OUTs may end at different frames. */
static uint64_t find_first(struct engine *engine)
{
    uint64_t taken;
    const struct reader *taker;
    while ((taker = taker_of(engine, engine->first_chunk, &taken)) != NULL) {
        const bool is_left = chunk_of(engine, taker->next) > engine->first_chunk;
        if (!is_left || engine->at_work[engine->first_chunk % CHUNKS_AT_WORK] > 0) break;
        engine->first_chunk++;
    }
    return taken;
}

/* A reader waits only at the end of its chunk, and only if enough chunks are taken. */
bool readers_far_ahead(struct engine *engine, const struct reader *reader)
{
    const uint64_t next = reader->next;
    if (reader->within) return false;
    if (next > 0 && chunk_of(engine, next) == chunk_of(engine, next - 1)) return false;
    const uint64_t taken = find_first(engine);
    return taken >= engine->first_chunk + most_chunks(engine);
}

/* Returns whether the next record will never come, because its reader could not continue. The
 * caller holds `output`. */
static bool is_lost(struct engine *engine)
{
    uint64_t taken;
    const struct reader *taker = taker_of(engine, engine->first_chunk, &taken);
    const uint32_t at_work = engine->at_work[engine->first_chunk % CHUNKS_AT_WORK];
    return taker && taker->ended && at_work == 0;
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
