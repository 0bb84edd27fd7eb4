/* Results as a file: JSON Lines or CSV, written line by line. */
#ifndef SSIMCU_QA_WRITER_H
#define SSIMCU_QA_WRITER_H

#include "results/header.h"
#include "results/verdict.h"

#include <stdio.h>

/* JSON Lines: a first line that says what was scored, a line for each pair in the order of frames,
 * a last line with the summary. CSV has the pairs' lines only, below a line of names; a control
 * character in a file's name is written as on standard error, so that a record is one line. A file
 * is written line by line under the name FILE.partial and gets its own name when it is complete:
 * FILE is always whole, and what a killed run leaves is FILE.partial. A file that is neither empty
 * nor results is never replaced: that also saves a picture that a list names only later. */
struct writer;

/* Opens `path`. A FILE.partial that is there already is an error unless `resumed`, because it may
 * hold what somebody wants to resume. It is locked, if the file system can, while the writer is
 * open: a FILE.partial that another run is writing is always an error. Its content stays until
 * writer_begin. Errors: WRITE, MEMORY. */
ssimcu_status writer_open(const char *path, bool csv, bool resumed, struct writer **writer,
                          ssimcu_message *message);

/* Writes to a stream, which stays the caller's. Errors: MEMORY. */
ssimcu_status writer_stream(FILE *stream, bool csv, struct writer **writer,
                            ssimcu_message *message);

/* The first line. Errors: WRITE, MEMORY. */
ssimcu_status writer_begin(struct writer *writer, const struct header *header,
                           ssimcu_message *message);

/* A pair's line; it is with the system when this returns. */
ssimcu_status writer_add(struct writer *writer, const struct record *record,
                         ssimcu_message *message);

/* The last line; a complete file then gets its name, an incomplete one stays FILE.partial. */
ssimcu_status writer_end(struct writer *writer, const struct summary *summary,
                         const struct verdict *verdict, ssimcu_message *message);

/* Closes what is open; a file that was not ended stays FILE.partial, unless no pair is in it or it
 * is to be dropped. Accepts NULL. */
void writer_drop(struct writer *writer);
void writer_close(struct writer *writer);

#endif
