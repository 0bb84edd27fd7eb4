/* Reads bytes and lines from a file, a pipe or standard input, and never blocks for good. While it
 * waits, it checks the caller's `stop` every tenth of a second. */
#pragma once

#include "ssimcu.h"

#include <stdatomic.h>
#include <stdbool.h>

typedef struct ssimcu_reader ssimcu_reader;

/* A flag that ends the functions that check it, such as a waiting reader. Any thread and any signal
 * handler may set it. */
typedef atomic_bool ssimcu_stop;

/* Returns whether the flag is set. `stop` may be NULL. */
static inline bool ssimcu_is_stopped(const ssimcu_stop *stop) { return stop && atomic_load(stop); }

/* Opens `path`, or standard input for "-". Setting `stop`, which may be NULL, ends the input at
 * that point. Errors: FILE, MEMORY. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_reader_open(const char *path, const ssimcu_stop *stop,
                                                   ssimcu_reader **reader, ssimcu_message *message);

/* Accepts NULL and a pointer to NULL. */
void ssimcu_reader_close(ssimcu_reader **reader);

/* Returns the descriptor. The caller must know that it is a regular file. */
int ssimcu_reader_fd(const ssimcu_reader *reader);

/* Shows the next bytes without consuming them: as many as one read returns, none at the end. They
 * are valid until the reader is used again. Errors: FILE. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_reader_peek(ssimcu_reader *reader, const void **bytes,
                                                   size_t *size, ssimcu_message *message);

/* Reads `size` bytes to `to`, or skips them if `to` is NULL. *got is less than `size` only at the
 * end of the input. Errors: FILE. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_reader_bytes(ssimcu_reader *reader, void *to, size_t size,
                                                    size_t *got, ssimcu_message *message);

/* Reads a line of at most `size` - 1 bytes and replaces its line break by 0. The last line may lack
 * a line break. *length is -1 at the end of the input. Errors: FILE; DATA (the line is longer; the
 * next call reads the line after it). */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_reader_line(ssimcu_reader *reader, char *line, size_t size,
                                                   long *length, ssimcu_message *message);

/* Returns whether the last line read ended in a line break. */
bool ssimcu_reader_was_whole(const ssimcu_reader *reader);
