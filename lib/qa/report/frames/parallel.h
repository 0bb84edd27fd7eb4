/* Work that is done at once. */
#ifndef SSIMCU_QA_REPORT_PARALLEL_H
#define SSIMCU_QA_REPORT_PARALLEL_H

#include <stddef.h>

enum { PARALLEL_MOST = 8 };

/* Calls `run` with each of `count` elements of an array, at most PARALLEL_MOST, each on a thread of
 * its own. Without a thread for one, this thread does it. `size`: of an element; 0: all get the
 * array. */
void parallel_run(void *(*run)(void *element), void *array, size_t size, size_t count);

#endif
