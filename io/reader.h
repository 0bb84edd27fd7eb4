/* Bytes and lines from a file, a pipe or standard input, without getting stuck in a read: whoever
 * opened the reader is asked ten times a second whether it should go on waiting. */
#ifndef SSIMCU_READER_H
#define SSIMCU_READER_H

#include "ssimcu.h"

#include <stdbool.h>

typedef struct ssimcu_reader ssimcu_reader;

/* Asked while a reader waits: true ends the input here. */
typedef bool ssimcu_stopped(void);

/* Opens `path`, or standard input for "-", which must be open. `stopped` may be NULL. Errors: FILE,
 * MEMORY. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_reader_open(const char *path, ssimcu_stopped *stopped,
                                                   ssimcu_reader **reader, ssimcu_message *message);

/* Accepts NULL and a pointer to NULL. */
void ssimcu_reader_close(ssimcu_reader **reader);

/* The descriptor, for those who know that it is a regular file. */
int ssimcu_reader_fd(const ssimcu_reader *reader);

/* What comes next, without taking it: as much as one read gives, nothing at the end. Valid until
 * the reader is used again. Errors: FILE. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_reader_peek(ssimcu_reader *reader, const void **bytes,
                                                   size_t *size, ssimcu_message *message);

/* Reads `size` bytes to `to`, or past them when `to` is NULL. *got is less only where the input
 * ends. Errors: FILE. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_reader_bytes(ssimcu_reader *reader, void *to, size_t size,
                                                    size_t *got, ssimcu_message *message);

/* Reads a line of at most `size` - 1 bytes and ends it with 0 in place of its line break. A last
 * line without one counts. *length is -1 where the input has ended. Errors: FILE; DATA (longer: the
 * next call goes on with the line behind it). */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_reader_line(ssimcu_reader *reader, char *line, size_t size,
                                                   long *length, ssimcu_message *message);

/* Whether the last line that was read ended in a line break. */
bool ssimcu_reader_was_whole(const ssimcu_reader *reader);

#endif
