#include "source/share.h"

#include <stdlib.h>

void share_init(struct stretches *stretches)
{
    pthread_mutex_init(&stretches->lock, NULL);
    pthread_cond_init(&stretches->opened, NULL);
}

void share_destroy(struct stretches *stretches)
{
    pthread_cond_destroy(&stretches->opened);
    pthread_mutex_destroy(&stretches->lock);
    free(stretches->of);
}

/* Returns whether a reader before this one waits. Readers are spread over the GPUs by turns. */
static bool one_waits(const struct stretches *stretches, uint32_t reader)
{
    while (reader > 0)
        if (stretches->waits[--reader]) return true;
    return false;
}

void share_begin_opening(struct stretches *stretches, uint32_t reader)
{
    pthread_mutex_lock(&stretches->lock);
    stretches->waits[reader] = true;
    while (stretches->turn != reader + 1 && (stretches->turn > 0 || one_waits(stretches, reader)))
        pthread_cond_wait(&stretches->opened, &stretches->lock);
    stretches->waits[reader] = false;
    stretches->turn = reader + 1;
    pthread_mutex_unlock(&stretches->lock);
}

void share_end_opening(struct stretches *stretches, uint32_t reader)
{
    pthread_mutex_lock(&stretches->lock);
    if (stretches->turn == reader + 1) {
        stretches->turn = 0;
        pthread_cond_broadcast(&stretches->opened);
    }
    pthread_mutex_unlock(&stretches->lock);
}

bool share_has(const struct source_input *input, uint64_t position)
{
    if (input->end > 0) return position >= input->begin && position < input->end;
    return position % input->shards == input->shard - 1;
}

uint64_t share_position(const struct source_input *input, uint64_t index)
{
    return input->end > 0 ? input->begin + index : index * input->shards + input->shard - 1;
}

uint64_t share_index(const struct source_input *input, uint64_t position)
{
    return input->end > 0 ? position - input->begin : position / input->shards;
}

uint64_t share_count(const struct source_input *input, uint64_t count)
{
    if (input->end == 0) return (count - input->shard + input->shards) / input->shards;
    if (count > input->end) count = input->end;
    return count > input->begin ? count - input->begin : 0;
}

bool share_number(struct stretches *stretches, const ssimcu_ranges *frames)
{
    const int64_t length = stretches->length;
    stretches->of = calloc(frames->count + 1, sizeof *stretches->of);
    for (size_t i = 1; stretches->of && i < frames->count; i++) {
        const bool same = frames->number[i] / length == frames->number[i - 1] / length;
        stretches->of[i] = stretches->of[i - 1] + !same;
    }
    return stretches->of != NULL;
}

uint64_t share_stretch(const struct source_input *input, uint64_t position)
{
    const struct stretches *all = input->stretches;
    const uint64_t count = all->of ? input->frames->count : 0;
    if (!all->of) return position / all->length;
    return position < count ? all->of[position] : count > 0 ? all->of[count - 1] + 1u : 0;
}

uint64_t share_take(struct stretches *stretches, uint32_t reader)
{
    pthread_mutex_lock(&stretches->lock);
    stretches->taker[stretches->next % STRETCHES_AT_WORK] = reader;
    const uint64_t next = ++stretches->next;
    pthread_mutex_unlock(&stretches->lock);
    return next;
}
