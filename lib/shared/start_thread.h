/* Threads of a library, which must not take the signals of the program that links it. */
#ifndef SSIMCU_START_THREAD_H
#define SSIMCU_START_THREAD_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

/* Starts a thread with all signals blocked, because they are for the program's own threads. A new
 * thread inherits the mask of the thread that makes it. */
static inline bool ssimcu_start_thread(pthread_t *thread, void *(*run)(void *), void *argument)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started = pthread_create(thread, NULL, run, argument) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

#endif
