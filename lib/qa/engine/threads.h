/* Threads, and waiting for them with a limit. */
#ifndef SSIMCU_QA_THREADS_H
#define SSIMCU_QA_THREADS_H

#include <pthread.h>
#include <stdbool.h>

/* Starts a thread that takes no signals: they are for the main thread. */
bool threads_start(pthread_t *thread, void *(*run)(void *), void *arg);

/* Milliseconds on a clock that nobody sets. */
double threads_clock_ms(void);

/* A condition that goes by that clock, and a wait for it: false after `ms` milliseconds. */
void threads_cond_init(pthread_cond_t *cond);
bool threads_cond_wait(pthread_cond_t *cond, pthread_mutex_t *lock, int ms);

#endif
