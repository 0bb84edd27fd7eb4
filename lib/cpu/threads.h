/* A pool of threads that share out numbered tasks: the one place where the library starts threads.
 *
 * A pool belongs to one thread at a time, as the context that holds it does. Between runs its
 * threads sleep. They take no signals, so that the program's handlers run on its own threads.
 */
#ifndef SSIMCU_THREADS_H
#define SSIMCU_THREADS_H

#include <stddef.h>
#include <stdint.h>

struct ssimcu_threads;

/* A pool of `count` threads, the calling thread included. Where the system gives fewer there are
 * fewer. NULL when count is 0 or 1 or no thread is to be had: the calling thread works alone. */
struct ssimcu_threads *ssimcu_threads_create(uint32_t count);

/* Ends and joins the threads. Accepts NULL. */
void ssimcu_threads_destroy(struct ssimcu_threads *threads);

/* Threads that work in a run, the caller included: 1 for NULL. */
uint32_t ssimcu_threads_count(const struct ssimcu_threads *threads);

/* Calls work(arg, i) once for each i in 0..tasks-1 and returns when all are done. Tasks are handed
 * out one by one in rising order; the caller works too. `work` must not run the same pool. */
void ssimcu_threads_run(struct ssimcu_threads *threads, size_t tasks,
                        void (*work)(void *arg, size_t task), void *arg);

/* How many threads this process can use at once: the CPUs in its affinity mask, cut down to the CPU
 * quota of its control group (v1 or v2) and of the groups around it, at least 1. `root` stands
 * before /proc and /sys, empty but for tests. */
uint32_t ssimcu_threads_usable(const char *root);

#endif
