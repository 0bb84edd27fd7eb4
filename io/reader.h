/* Reads bytes and lines from a file, a pipe or standard input, and never hangs in a read. While it
 * waits it asks the caller's `stopped` ten times a second whether to go on. */
#ifndef SSIMCU_READER_H
#define SSIMCU_READER_H

#include "ssimcu.h"

#include <stdbool.h>

typedef struct ssimcu_reader ssimcu_reader;

/* A function that a waiting reader asks whether to stop: true ends the input at this point. */
typedef bool ssimcu_stopped(void);

/* Opens `path`, or standard input for "-". `stopped` may be NULL: never stop. Errors: FILE,
 * MEMORY. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_reader_open(const char *path, ssimcu_stopped *stopped,
                                                   ssimcu_reader **reader, ssimcu_message *message);

/* Accepts NULL and a pointer to NULL. */
void ssimcu_reader_close(ssimcu_reader **reader);

/* Returns the descriptor, for a caller that knows that it is a regular file. */
int ssimcu_reader_fd(const ssimcu_reader *reader);

/* Shows the next bytes without taking them: as many as one read gives, none at the end. They are
 * valid until the reader is used again. Errors: FILE. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_reader_peek(ssimcu_reader *reader, const void **bytes,
                                                   size_t *size, ssimcu_message *message);

/* Reads `size` bytes to `to`, or skips them if `to` is NULL. *got is less than `size` only at the
 * end of the input. Errors: FILE. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_reader_bytes(ssimcu_reader *reader, void *to, size_t size,
                                                    size_t *got, ssimcu_message *message);

/* Reads a line of at most `size` - 1 bytes and replaces its line break by 0. A last line without a
 * line break counts. *length is -1 at the end of the input. Errors: FILE; DATA (the line is longer:
 * the next call reads the line after it). */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_reader_line(ssimcu_reader *reader, char *line, size_t size,
                                                   long *length, ssimcu_message *message);

/* Whether the last line that was read ended in a line break. */
bool ssimcu_reader_was_whole(const ssimcu_reader *reader);

#endif
