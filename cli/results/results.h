/* Results on their way out, and read back.
 *
 * JSON Lines: a first line with the contract, a line for each frame in the order of frames, a last
 * line with the summary. CSV has the frames' lines only. A file is written line by line under the
 * name FILE.partial and gets its own name when it is complete: FILE is always whole, and what a
 * killed run leaves is FILE.partial.
 */
#ifndef SSIMCU_CLI_RESULTS_H
#define SSIMCU_CLI_RESULTS_H

#include "results/record.h"
#include "results/summary.h"

/* ---- Writing --------------------------------------------------------------------------------- */

struct results;

/* Opens `path`, or standard output for NULL. A FILE.partial that is there already is an error
 * unless `resumed`: it may hold what somebody wants to resume. Errors: WRITE, MEMORY. */
ssimcu_status results_open(const char *path, bool csv, bool resumed, struct results **results,
                           ssimcu_message *message);

/* The first line; `shards` above 1 marks it as one share. Errors: WRITE, MEMORY. */
ssimcu_status results_begin(struct results *results, const struct json_t *contract, uint32_t shard,
                            uint32_t shards, ssimcu_message *message);

/* A frame's line; it is with the system when this returns. */
ssimcu_status results_add(struct results *results, const struct record *record,
                          ssimcu_message *message);

/* The last line; a complete file then gets its name, an incomplete one stays FILE.partial. */
ssimcu_status results_end(struct results *results, const struct summary *summary,
                          ssimcu_message *message);

/* Closes what is open; a file that was not ended stays FILE.partial, unless no frame is in it.
 * Accepts NULL. */
void results_close(struct results *results);

/* ---- Reading back ---------------------------------------------------------------------------- */

struct loaded_line {
    int64_t frame;
    bool scored;
    char *text;
};

/* Lines of one or several files, by rising frame, one for each frame. */
struct loaded {
    struct json_t *contract;
    struct loaded_line *line;
    size_t count;
    bool complete;       /* every file ended in the summary of a complete run */
    uint32_t shards;     /* of the files that are shares; 0: none is */
    unsigned char *seen; /* which shares, [shards + 1] */
};

/* Adds the lines of `path`. A last line without line break is half a line and is dropped. For a
 * frame that is there already a scored line wins; `latest`: the newer one does where both are
 * scored, else two different scores are a MISMATCH. Also MISMATCH: another contract, or shares of
 * different counts. Other errors: FILE, DATA, MEMORY. */
ssimcu_status loaded_add(struct loaded *loaded, const char *path, bool latest,
                         ssimcu_message *message);

/* The scored line of a frame, NULL where there is none. */
const char *loaded_find(const struct loaded *loaded, int64_t frame);

void loaded_free(struct loaded *loaded);

/* What a run that is to be resumed has left: `path`, path.partial and path.resume, as far as they
 * are there. Puts the lines of all into path.resume, so that path.partial can be written anew.
 * `is_output`: results are going to `path` again. Errors: as loaded_add; WRITE. */
ssimcu_status loaded_resume(struct loaded *loaded, const char *path, bool is_output,
                            ssimcu_message *message);

/* The name of a file beside another; free it. NULL when memory runs out. */
char *results_name_beside(const char *path, const char *ending);

#endif
