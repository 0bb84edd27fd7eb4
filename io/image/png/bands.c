#define _POSIX_C_SOURCE 200809L /* pthread_sigmask */
#include "bands.h"

#include "start_thread.h"

struct run {
    const struct ssimcu_bands *bands;
    pthread_mutex_t lock; /* guards the fields below */
    pthread_cond_t changed;
    uint32_t made, used;
    bool failed; /* a step has failed: both threads end */
};

/* Waits until band `next` can be made, or used. False if the run has failed. */
static bool wait_for(struct run *run, uint32_t next, bool to_use)
{
    pthread_mutex_lock(&run->lock);
    while (!run->failed && (to_use ? run->made <= next : next - run->used >= run->bands->places))
        pthread_cond_wait(&run->changed, &run->lock);
    const bool go_on = !run->failed;
    pthread_mutex_unlock(&run->lock);
    return go_on;
}

static void say(struct run *run, uint32_t *count, bool good)
{
    pthread_mutex_lock(&run->lock);
    *count += good;
    run->failed |= !good;
    pthread_cond_signal(&run->changed); /* the other thread alone waits */
    pthread_mutex_unlock(&run->lock);
}

static void make_all(struct run *run)
{
    const struct ssimcu_bands *const bands = run->bands;
    for (uint32_t i = 0; i < bands->count && wait_for(run, i, false); i++)
        say(run, &run->made, bands->make(bands->user, i));
}

static void *use_all(void *argument)
{
    struct run *const run = argument;
    const struct ssimcu_bands *const bands = run->bands;
    for (uint32_t i = 0; i < bands->count && wait_for(run, i, true); i++)
        say(run, &run->used, bands->use(bands->user, i));
    return NULL;
}

static bool by_one(const struct ssimcu_bands *bands)
{
    for (uint32_t i = 0; i < bands->count; i++)
        if (!bands->make(bands->user, i) || !bands->use(bands->user, i)) return false;
    return true;
}

bool ssimcu_bands_run(const struct ssimcu_bands *bands, bool two_threads)
{
    struct run run = {.bands = bands};
    pthread_t thread;
    if (!two_threads || bands->count < 2) return by_one(bands);
    pthread_mutex_init(&run.lock, NULL);
    pthread_cond_init(&run.changed, NULL);
    const bool started = ssimcu_start_thread(&thread, use_all, &run);
    if (started) {
        make_all(&run);
        pthread_join(thread, NULL);
    }
    pthread_cond_destroy(&run.changed);
    pthread_mutex_destroy(&run.lock);
    return started ? !run.failed : by_one(bands);
}
