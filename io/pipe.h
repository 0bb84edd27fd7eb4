/* Opening files so that a pipe can be looked at first: what it begins with, before it is read. */
#ifndef SSIMCU_PIPE_H
#define SSIMCU_PIPE_H

#include "reader.h"

/* Copies the first bytes of a pipe or FIFO ("-": standard input) and leaves them in it. Waits for a
 * writer, and until there are `size` of them or there will be no more; `stopped` as in reader.h.
 * Returns how many there are, 0 where nothing can be told. The pipe is held open until
 * ssimcu_pipe_open: a writer that found no reader would fail, and one that has gone would not come
 * back. Two pipes can be held. */
size_t ssimcu_pipe_start(const char *path, ssimcu_stopped *stopped, char *start, size_t size);

/* open(path) for reading; of a pipe that is held, its descriptor, which is the caller's from then
 * on. -1 and errno on errors. */
int ssimcu_pipe_open(const char *path);

#endif
