/* A pool of threads that share numbered tasks. It is the one place where the library starts
 * threads.
 *
 * A pool belongs to one thread at a time, like the context that holds it. Between runs its threads
 * sleep. They block all signals, so that the program's handlers run on its threads. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct ssimcu_threads;

/* Makes a pool of `count` threads, including the calling thread, or of as many as the system
 * allows. Returns NULL if count is 0 or 1 or no thread can be started; only the calling thread then
 * works. */
struct ssimcu_threads *ssimcu_threads_create(uint32_t count);

/* Ends and joins the threads. Accepts NULL. */
void ssimcu_threads_destroy(struct ssimcu_threads *threads);

/* Returns the number of threads that work in a run, including the caller: 1 for NULL. */
uint32_t ssimcu_threads_count(const struct ssimcu_threads *threads);

/* Calls work(arg, i) once for each i in 0..tasks-1 and returns when all calls are done. Tasks are
 * assigned one by one in ascending order, and the caller works, too. `work` must not run the same
 * pool. */
void ssimcu_threads_run(struct ssimcu_threads *threads, size_t tasks,
                        void (*work)(void *arg, size_t task), void *arg);

/* Returns how many threads this process can use at once, at least 1: the CPUs in its affinity mask.
 * Lower CPU quotas of its control group (v1 or v2) and of the groups around it reduce that. `root`
 * is put before /proc and /sys; it is empty except in tests. */
uint32_t ssimcu_threads_usable(const char *root);
