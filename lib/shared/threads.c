/* The caller posts a job, wakes the pool and takes tasks like the pool's threads. A thread joins
 * only while tasks are left. So a thread that wakes late delays nobody and never gets a finished
 * job. When no tasks are left, the caller waits for the threads that joined. */
#define _POSIX_C_SOURCE 200809L

#include "threads.h"

#include "start_thread.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

struct job {
    void (*work)(void *arg, size_t task);
    void *arg;
    size_t tasks;
};

struct ssimcu_threads {
    pthread_mutex_t lock; /* protects all fields except `next`, which threads increase without it */
    pthread_cond_t posted, left;
    struct job job;
    uint32_t joined; /* threads inside the job, without the caller */
    int stop;
    atomic_size_t next; /* next task to assign */
    pid_t process;      /* the process that owns the threads */
    uint32_t started;   /* threads started, without the caller */
    pthread_t thread[];
};

/* Returns whether this process has the threads. After a fork they stay with the parent, and the
 * lock may be held forever. */
static int has_threads(const struct ssimcu_threads *threads)
{
    return threads->process == getpid();
}

static int has_tasks(struct ssimcu_threads *threads)
{
    return atomic_load_explicit(&threads->next, memory_order_relaxed) < threads->job.tasks;
}

static void take_tasks(struct ssimcu_threads *threads, const struct job *job)
{
    size_t task;
    while ((task = atomic_fetch_add_explicit(&threads->next, 1, memory_order_relaxed)) < job->tasks)
        job->work(job->arg, task);
}

static void *serve(void *arg)
{
    struct ssimcu_threads *threads = arg;
    pthread_mutex_lock(&threads->lock);
    for (;;) {
        while (!threads->stop && !has_tasks(threads))
            pthread_cond_wait(&threads->posted, &threads->lock);
        if (threads->stop) break;
        const struct job job = threads->job;
        threads->joined++;
        pthread_mutex_unlock(&threads->lock);
        take_tasks(threads, &job);
        pthread_mutex_lock(&threads->lock);
        if (--threads->joined == 0) pthread_cond_signal(&threads->left);
    }
    pthread_mutex_unlock(&threads->lock);
    return NULL;
}

struct ssimcu_threads *ssimcu_threads_create(uint32_t count)
{
    if (count <= 1) return NULL;
    struct ssimcu_threads *threads =
        calloc(1, sizeof *threads + (count - 1) * sizeof threads->thread[0]);
    if (!threads) return NULL;
    pthread_mutex_init(&threads->lock, NULL);
    pthread_cond_init(&threads->posted, NULL);
    pthread_cond_init(&threads->left, NULL);
    atomic_init(&threads->next, 0);
    threads->process = getpid();
    while (threads->started < count - 1 &&
           ssimcu_start_thread(&threads->thread[threads->started], serve, threads))
        threads->started++;
    if (threads->started > 0) return threads;
    ssimcu_threads_destroy(threads);
    return NULL;
}

static void end_threads(struct ssimcu_threads *threads)
{
    pthread_mutex_lock(&threads->lock);
    threads->stop = 1;
    pthread_cond_broadcast(&threads->posted);
    pthread_mutex_unlock(&threads->lock);
    for (uint32_t i = 0; i < threads->started; i++) pthread_join(threads->thread[i], NULL);
    pthread_cond_destroy(&threads->left);
    pthread_cond_destroy(&threads->posted);
    pthread_mutex_destroy(&threads->lock);
}

void ssimcu_threads_destroy(struct ssimcu_threads *threads)
{
    if (threads && has_threads(threads)) end_threads(threads);
    free(threads);
}

uint32_t ssimcu_threads_count(const struct ssimcu_threads *threads)
{
    return threads ? threads->started + 1 : 1;
}

void ssimcu_threads_run(struct ssimcu_threads *threads, size_t tasks,
                        void (*work)(void *arg, size_t task), void *arg)
{
    if (!threads || tasks <= 1 || !has_threads(threads)) {
        for (size_t i = 0; i < tasks; i++) work(arg, i);
        return;
    }
    const struct job job = {work, arg, tasks};
    pthread_mutex_lock(&threads->lock);
    threads->job = job;
    atomic_store_explicit(&threads->next, 0, memory_order_relaxed);
    pthread_cond_broadcast(&threads->posted);
    pthread_mutex_unlock(&threads->lock);
    take_tasks(threads, &job);
    pthread_mutex_lock(&threads->lock);
    while (threads->joined > 0) pthread_cond_wait(&threads->left, &threads->lock);
    pthread_mutex_unlock(&threads->lock);
}
