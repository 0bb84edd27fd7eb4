#include "source_memory.h"

#include "pair/pair.h"
#include "record/record.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE_BYTES = 4096, MAX_KEPT = 256 };

struct memory {
    struct source base;
    pthread_mutex_t lock;
    ssimcu_frame block; /* one for all pairs, to be pinned at once: a grey frame of whole pages */
    size_t used;        /* bytes of the block */
    struct pair kept[MAX_KEPT];
    uint32_t count, most;
    uint64_t at, pairs;
};

static int64_t count(const struct source *source, uint32_t out)
{
    (void)out;
    return (int64_t)((const struct memory *)source)->pairs;
}

static bool next(struct source *source, struct pair *pair)
{
    struct memory *memory = (struct memory *)source;
    if (memory->at >= memory->pairs || memory->count == 0) return false;
    pair->record->frame = (int64_t)memory->at++;
    return true;
}

static ssimcu_status load(const struct source *source, struct pair *pair, ssimcu_message *message)
{
    const struct memory *memory = (const struct memory *)source;
    const struct pair *kept = &memory->kept[(uint64_t)pair->record->frame % memory->count];
    (void)message;
    memcpy(pair->plane, kept->plane, sizeof pair->plane);
    pair->planes = kept->planes;
    return SSIMCU_OK;
}

static const ssimcu_frame *shared(const struct source *source)
{
    return &((const struct memory *)source)->block;
}

static void close_memory(struct source *source)
{
    struct memory *memory = (struct memory *)source;
    ssimcu_frame_free(&memory->block);
    pthread_mutex_destroy(&memory->lock);
}

static const struct source_kind KIND = {
    .count = count, .next = next, .load = load, .shared = shared, .close = close_memory};

struct source *source_memory(size_t bytes, uint32_t most)
{
    struct memory *memory = calloc(1, sizeof *memory);
    if (!memory) return NULL;
    memory->base.kind = &KIND;
    memory->most = most < MAX_KEPT ? most : MAX_KEPT;
    memory->block = (ssimcu_frame){.width = PAGE_BYTES,
                                   .height = (uint32_t)(bytes / PAGE_BYTES + 1),
                                   .channels = 1,
                                   .bits = 8};
    pthread_mutex_init(&memory->lock, NULL);
    if (ssimcu_frame_alloc(&memory->block, NULL) == SSIMCU_OK) return &memory->base;
    source_close(&memory->base);
    return NULL;
}

/* Copies the planes of a side one after the other, from the start of a page. */
static bool keep_side(struct memory *memory, const ssimcu_frame *from, ssimcu_frame *to,
                      uint32_t planes)
{
    memory->used = (memory->used + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    for (uint32_t p = 0; p < planes; p++) {
        const size_t bytes = from[p].pitch * from[p].height;
        if (bytes > (size_t)PAGE_BYTES * memory->block.height - memory->used) return false;
        to[p] = from[p];
        to[p].data = (uint8_t *)memory->block.data + memory->used;
        memcpy(to[p].data, from[p].data, bytes);
        memory->used += bytes;
    }
    return true;
}

bool source_memory_keep(struct source *source, const struct pair *pair)
{
    struct memory *memory = (struct memory *)source;
    pthread_mutex_lock(&memory->lock);
    struct pair *kept = &memory->kept[memory->count];
    bool good = memory->count < memory->most;
    for (int side = 0; side < 2 && good; side++)
        good = keep_side(memory, pair->plane[side], kept->plane[side], pair->planes);
    if (good) memory->kept[memory->count++].planes = pair->planes;
    pthread_mutex_unlock(&memory->lock);
    return good;
}

void source_memory_rewind(struct source *source, uint64_t pairs)
{
    struct memory *memory = (struct memory *)source;
    memory->at = 0;
    memory->pairs = pairs;
}
