/* Results as a file: JSON Lines or CSV, written line by line. */
#pragma once

#include "record/header.h"
#include "verdict/verdict.h"

/* Writes results. JSON Lines begin with the header and end with the summary. Between them each pair
 * has a line, in the order of frames. CSV has a line of column names and the lines of the pairs.
 * Control characters in file names are escaped, so that a record is one line.
 *
 * A file is written line by line as FILE.partial and renamed to FILE when it is complete. So FILE
 * is always whole, and a killed run leaves FILE.partial. A file that is neither empty nor results
 * is never replaced. That also protects a picture that a list names later. */
struct writer;

/* Opens `path`. An existing FILE.partial is an error unless `resumed`, because the run may be worth
 * resuming. The file is locked while the writer is open, if the file system supports it. A
 * FILE.partial that another run is writing is always an error. Its content stays until
 * writer_begin. Errors: WRITE, MEMORY. */
ssimcu_status writer_open(const char *path, bool csv, bool resumed, struct writer **writer,
                          ssimcu_message *message);

/* Passes each line to `take` instead, and returns its error. Errors: MEMORY. */
typedef ssimcu_status writer_take(void *user, const char *line);
ssimcu_status writer_stream(writer_take *take, void *user, bool csv, struct writer **writer,
                            ssimcu_message *message);

/* Truncates the file and writes the first line. Errors: WRITE, MEMORY. */
ssimcu_status writer_begin(struct writer *writer, const struct header *header,
                           ssimcu_message *message);

/* Writes a pair's line and flushes it. Errors: WRITE, MEMORY. */
ssimcu_status writer_add(struct writer *writer, const struct record *record,
                         ssimcu_message *message);

/* Writes the last line. Then a complete file is renamed to FILE; an incomplete one stays
 * FILE.partial. Errors: WRITE, MEMORY. */
ssimcu_status writer_end(struct writer *writer, const struct summary *summary,
                         const struct verdict *verdict, ssimcu_message *message);

/* Makes writer_close remove FILE.partial. Accepts NULL. */
void writer_drop(struct writer *writer);

/* Closes the writer. A file without its final name stays FILE.partial, unless it holds no pair or
 * was dropped. Accepts NULL. */
void writer_close(struct writer *writer);
