#include "source/share.h"

#include <stdlib.h>

bool share_has(const struct source_input *input, uint64_t position)
{
    return position % input->shards == input->shard - 1;
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
