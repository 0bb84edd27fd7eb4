#include "pair/slots.h"

#include "pair/pair.h"

#include "fail.h"

#include <stdlib.h>
#include <unistd.h>

enum { PAGE_BYTES = 4096 };

static void drop_blocks(struct slots *slots, struct slot *slot)
{
    for (int s = 0; s < 2; s++) {
        struct block *block = &slot->block[s];
        if (block->pinned) ssimcu_frame_unpin(slots->pin, &block->memory);
        ssimcu_frame_free(&block->memory);
        slots->used -= block->bytes;
        *block = (struct block){0};
    }
    slots->used -= slot->beside;
    slot->beside = 0;
}

static uint64_t default_limit(void)
{
    const uint64_t four = 4ull << 30;
    const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGE_SIZE);
    const uint64_t half = pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size / 2 : four;
    return half < four ? half : four;
}

bool slots_start(struct slots *slots, uint32_t count, uint64_t limit, const ssimcu_context *pin)
{
    *slots = (struct slots){.count = count, .limit = limit ? limit : default_limit(), .pin = pin};
    slots->slot = calloc(count, sizeof *slots->slot);
    if (!slots->slot) return false;
    ssimcu_file_memory_start(&slots->files);
    pthread_mutex_init(&slots->lock, NULL);
    pthread_cond_init(&slots->changed, NULL);
    for (uint32_t i = 0; i < count; i++) {
        slots->slot[i].slots = slots;
        slots_give(&slots->slot[i]);
    }
    return true;
}

void slots_end(struct slots *slots)
{
    if (!slots->slot) return;
    for (uint32_t i = 0; i < slots->count; i++) drop_blocks(slots, &slots->slot[i]);
    ssimcu_file_memory_end(&slots->files);
    pthread_cond_destroy(&slots->changed);
    pthread_mutex_destroy(&slots->lock);
    free(slots->slot);
    *slots = (struct slots){0};
}

static bool has_memory(const struct slot *slot)
{
    return slot->block[0].bytes + slot->block[1].bytes + slot->beside > 0;
}

/* Picks a free slot that has memory, or an empty one if there is still memory for it. Otherwise
 * pairs would take memory from each other's slots, and allocate and pin it again for every
 * frame. */
static struct slot *pick(struct slots *slots)
{
    struct slot **link = &slots->free;
    while (*link && !has_memory(*link)) link = &(*link)->next_free;
    if (!*link && slots->used + slots->typical <= slots->limit) link = &slots->free;
    struct slot *slot = *link;
    if (slot) *link = slot->next_free;
    return slot;
}

struct slot *slots_take(struct slots *slots)
{
    struct slot *slot;
    pthread_mutex_lock(&slots->lock);
    while ((slot = pick(slots)) == NULL) pthread_cond_wait(&slots->changed, &slots->lock);
    pthread_mutex_unlock(&slots->lock);
    return slot;
}

void slots_give(struct slot *slot)
{
    struct slots *slots = slot->slots;
    pthread_mutex_lock(&slots->lock);
    slot->next_free = slots->free;
    slots->free = slot;
    pthread_cond_broadcast(&slots->changed);
    pthread_mutex_unlock(&slots->lock);
}

void slots_drop(struct slot *slot)
{
    struct slots *slots = slot->slots;
    pthread_mutex_lock(&slots->lock);
    drop_blocks(slots, slot);
    pthread_cond_broadcast(&slots->changed);
    pthread_mutex_unlock(&slots->lock);
}

/* Frees the memory of one idle slot. Returns false if no idle slot has any. */
static bool drop_idle(struct slots *slots)
{
    for (struct slot *idle = slots->free; idle; idle = idle->next_free)
        if (has_memory(idle)) {
            drop_blocks(slots, idle);
            return true;
        }
    return false;
}

static ssimcu_status fill_block(struct block *block, size_t bytes, ssimcu_message *message)
{
    if (bytes / PAGE_BYTES > UINT32_MAX) FAIL(LIMIT, "a frame of %zu bytes is too large", bytes);
    block->memory = (ssimcu_frame){
        .width = PAGE_BYTES, .height = (uint32_t)(bytes / PAGE_BYTES), .channels = 1, .bits = 8};
    const ssimcu_status status = ssimcu_frame_alloc(&block->memory, message);
    if (status == SSIMCU_OK) block->bytes = bytes;
    return status;
}

/* Waits until `need` bytes fit below the limit, and counts them. The caller holds the lock, and its
 * slot has no memory. A context does not wait, because slots with memory wait for contexts. */
static void wait_for_room(struct slots *slots, uint64_t need, bool waits)
{
    while (waits && slots->used + need > slots->limit)
        if (!drop_idle(slots)) pthread_cond_wait(&slots->changed, &slots->lock);
    slots->used += need;
    slots->typical = need;
    if (slots->used > slots->peak) slots->peak = slots->used;
}

static ssimcu_status reserve(struct slot *slot, const size_t bytes[2], uint64_t beside, bool waits,
                             ssimcu_message *message)
{
    struct slots *slots = slot->slots;
    if (bytes[0] <= slot->block[0].bytes && bytes[1] <= slot->block[1].bytes &&
        beside <= slot->beside)
        return SSIMCU_OK;
    uint64_t pages[2], need = beside;
    for (int s = 0; s < 2; s++) {
        pages[s] = ((uint64_t)bytes[s] + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
        need += pages[s];
    }
    if (need > slots->limit)
        FAIL(LIMIT, "the pair needs %llu bytes, --memory allows %llu", (unsigned long long)need,
             (unsigned long long)slots->limit);
    pthread_mutex_lock(&slots->lock);
    drop_blocks(slots, slot);
    pthread_cond_broadcast(&slots->changed);
    wait_for_room(slots, need, waits);
    pthread_mutex_unlock(&slots->lock);
    slot->beside = beside;
    ssimcu_status status = SSIMCU_OK;
    for (int s = 0; s < 2 && status == SSIMCU_OK; s++)
        if (pages[s] > 0) status = fill_block(&slot->block[s], pages[s], message);
    if (status == SSIMCU_OK) return status;
    pthread_mutex_lock(&slots->lock);
    slots->used -= need - slot->block[0].bytes - slot->block[1].bytes - beside;
    pthread_mutex_unlock(&slots->lock);
    slots_drop(slot);
    return status;
}

ssimcu_status slots_reserve(struct pair *pair, const size_t bytes[2], uint64_t beside,
                            ssimcu_message *message)
{
    const struct slots *slots = pair->slot->slots;
    const uint64_t frames = bytes[0] + bytes[1] + 2 * PAGE_BYTES + beside;
    const uint64_t room = slots->limit > frames ? slots->limit - frames : 0;
    const uint64_t scoring =
        slots->bytes_per_byte * (uint64_t)(bytes[0] > bytes[1] ? bytes[0] : bytes[1]);
    beside += scoring < room ? scoring : room;
    const ssimcu_status status = reserve(pair->slot, bytes, beside, !pair->again, message);
    for (int s = 0; s < 2; s++) pair->memory[s] = pair->slot->block[s].memory.data;
    return status;
}

struct ssimcu_file_memory *slots_files(const struct pair *pair)
{
    struct slots *slots = pair->slot->slots;
    return slots->bytes_per_byte > 0 ? NULL : &slots->files;
}

void slots_pin(const struct pair *pair)
{
    const ssimcu_context *pin = pair->slot->slots->pin;
    for (int s = 0; pin && s < 2; s++) {
        struct block *block = &pair->slot->block[s];
        if (block->bytes > 0 && !block->pinned && !pair->on_device[s])
            block->pinned = ssimcu_frame_pin(pin, &block->memory, NULL) == SSIMCU_OK;
    }
}
