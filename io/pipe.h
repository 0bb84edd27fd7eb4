/* What a pipe begins with, before it is read. */
#ifndef SSIMCU_PIPE_H
#define SSIMCU_PIPE_H

#include "reader.h"

/* Copies the first bytes of a pipe or FIFO ("-": standard input) and leaves them in it. Waits for a
 * writer, and until there are `size` of them or there will be no more; `stopped` as in reader.h.
 * Returns how many there are, 0 where nothing can be told. The pipe is held open from here on,
 * until the program ends: without a reader its writer would fail before somebody opens it again. */
size_t ssimcu_pipe_start(const char *path, ssimcu_stopped *stopped, char *start, size_t size);

#endif
