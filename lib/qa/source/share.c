#include "source/share.h"

bool share_has(const struct source_input *input, uint64_t position)
{
    return position % input->shards == input->shard - 1;
}

uint64_t share_take(struct stretches *stretches, uint32_t reader)
{
    pthread_mutex_lock(&stretches->lock);
    stretches->taker[stretches->next % STRETCHES_AT_WORK] = reader;
    const uint64_t next = ++stretches->next;
    pthread_mutex_unlock(&stretches->lock);
    return next;
}
