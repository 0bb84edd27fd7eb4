/* Waiting with a time limit. */
#pragma once

#include <pthread.h>
#include <stdbool.h>

/* Initialises a condition on a monotonic clock. Its wait returns false after `ms` milliseconds. */
void threads_cond_init(pthread_cond_t *cond);
bool threads_cond_wait(pthread_cond_t *cond, pthread_mutex_t *lock, int ms);
