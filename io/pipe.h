/* Copies the first bytes of a pipe before anything reads it, so that its format can be recognised
 * by content. */
#pragma once

#include "reader.h"

/* Copies the first bytes of a pipe or FIFO ("-": standard input) and leaves them in it. Waits for a
 * writer, then for `size` bytes. Ends early if the writer closes its end or `stop` (reader.h) is
 * set. Returns the number of bytes, or 0 if there are none.
 *
 * The pipe stays open until ssimcu_pipe_open is called. Otherwise a writer without a reader would
 * fail, and a writer that has closed its end would not return. At most two pipes are held. */
SSIMCU_API size_t ssimcu_pipe_start(const char *path, const ssimcu_stop *stop, char *start,
                                    size_t size);

/* Opens `path` for reading, like open(). If the pipe is held, returns its descriptor, which the
 * caller then owns. On errors sets errno and returns -1. */
SSIMCU_API int ssimcu_pipe_open(const char *path);
