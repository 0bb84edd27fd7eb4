/* Looks at the first bytes of a pipe before anything reads it. So a pipe's format can be told from
 * its content. */
#ifndef SSIMCU_PIPE_H
#define SSIMCU_PIPE_H

#include "reader.h"

/* Copies the first bytes of a pipe or FIFO ("-": standard input) and leaves them in it. Waits for a
 * writer, then for `size` bytes. Ends early if the writer closes its end or `stop` (reader.h)
 * says so. Returns the number of bytes, 0 if nothing can be told.
 *
 * The pipe stays open until ssimcu_pipe_open is called. Otherwise a writer would find no reader and
 * fail, and a writer that has closed its end would not come back. At most two pipes are held. */
SSIMCU_API size_t ssimcu_pipe_start(const char *path, const ssimcu_stop *stop, char *start,
                                    size_t size);

/* Opens `path` for reading, like open(). If the pipe is held, returns its descriptor, which belongs
 * to the caller from then on. Returns -1 and sets errno on errors. */
SSIMCU_API int ssimcu_pipe_open(const char *path);

#endif
