/* A clock, and waiting with a time limit. */
#pragma once

#include <pthread.h>
#include <stdbool.h>

/* Returns milliseconds on a monotonic clock. */
double threads_clock_ms(void);

/* Initialises a condition on this clock. Its wait returns false after `ms` milliseconds. */
void threads_cond_init(pthread_cond_t *cond);
bool threads_cond_wait(pthread_cond_t *cond, pthread_mutex_t *lock, int ms);
