/* A check from its options to its exit code. ssimcu_qa.h says what callers may do with it.
 *
 *   options -> frames that are looked at, or lines of earlier results -> shots, one after the other
 *   -> findings, results, JUnit */
#ifndef SSIMCU_QA_CHECK_H
#define SSIMCU_QA_CHECK_H

#include "check/junit.h"
#include "check/lines.h"
#include "check/shot.h"

#include "delivery/hooks.h"
#include "options/options.h"
#include "source/alone.h"

#include <jansson.h>

/* ---- earlier.c: results read back, to resume a check and to merge its shares ----------------- */

struct check_earlier {
    json_t *header; /* of all files, without the share; NULL before one is read */
    struct check_file {
        char *path, *text;      /* own */
        uint32_t shard, shards; /* share of a check; 0: of none */
        uint64_t sequences;     /* of the whole check, of which `shards` are shares */
        json_t *has;            /* own; the places of those that it has; NULL: all */
        bool complete;
    } * file;
    size_t files, file_room;
    struct check_found {        /* a sequence */
        char *name;             /* own; as JSON has it */
        const char *text, *end; /* its lines, in the text of their file */
        const char *path;       /* of the file */
        unsigned long number;   /* number of its first line */
        uint64_t place;         /* among the sequences of the whole check */
        bool whole;             /* its last line is there */
    } * found;
    size_t count, room;
    bool unfinished; /* lines came from path.partial or path.resume */
};

/* Adds the lines of a file, whose header must be like `own` and like those of the files before;
 * NULL: any. A last line without a line break is half a line, and is dropped. `judged`: other kinds
 * that fail are another check, too. Errors: FILE; DATA (a line is none of such results, or lines
 * are lost); MISMATCH (the header); MEMORY. */
ssimcu_status check_earlier_add(struct check_earlier *earlier, const char *path, const json_t *own,
                                bool judged, ssimcu_message *message);

/* Adds what the check to be resumed has left: those of `path`, path.resume and path.partial that
 * exist. Errors: those of check_earlier_add. */
ssimcu_status check_earlier_resume(struct check_earlier *earlier, const char *path,
                                   const json_t *own, ssimcu_message *message);

/* Reads the frames of a sequence. Call check_shot_free also after an error. Errors: DATA, MEMORY.
 */
ssimcu_status check_earlier_shot(const struct check_found *found, struct check_shot *shot,
                                 ssimcu_message *message);

/* Writes these sequences, NULL among them, to path.resume, so that path.partial can be written anew
 * and no kill loses them. Does nothing if `path` alone was there. Errors: WRITE, MEMORY. */
ssimcu_status check_earlier_save(const struct check_earlier *earlier, const char *path,
                                 const struct check_found *const *found, size_t count,
                                 ssimcu_message *message);

void check_earlier_free(struct check_earlier *earlier);

/* ---- A check --------------------------------------------------------------------------------- */

/* What a thread has seen of a frame, until its record comes in order. */
struct waiting {
    const struct record *record;
    struct seen *seen;
    struct waiting *next;
};

struct check {
    ssimcu_check_options given;
    ssimcu_run_options run;
    char *resume;       /* own; earlier results; NULL: none */
    const char **paths; /* own; the frames that merged results are of */
    struct options options;
    struct hooks hooks;
    struct source_input input;
    struct source *source;
    struct alone_sequence *sequence;  /* the sequences of the source */
    const struct check_found **known; /* own; what earlier results have of each; NULL: nothing */
    size_t sequences, at;             /* how many there are; the next one to hand out */
    struct check_earlier earlier;
    struct check_results *results;
    struct check_junit junit;
    struct check_page *page;
    check_mask fails;
    pthread_mutex_t lock; /* guards `waiting` */
    struct waiting *waiting;
    struct check_shot shot;
    struct check_count count;
    ssimcu_status status; /* what ended it early */
    ssimcu_message message;
    bool taken; /* the options are known to be right */
    bool hangs; /* a thread that hangs may still use all of this */
};

/* Return whether frames are only a share of all, and whether results are merged. */
static inline bool check_is_share(const struct check *check) { return check->run.shards > 0; }
static inline bool check_is_merge(const struct check *check) { return check->run.merges > 0; }

/* Returns the first line of results; NULL if memory runs out. */
json_t *check_header(const struct check *check);

/* ---- look.c ---------------------------------------------------------------------------------- */

/* Hands out all frames of a shot that was judged, or read back. An error is that of the check. */
void check_hand_out(struct check *check, const struct check_shot *shot);

/* Looks at all frames of the source, and hands out their shots, and those of earlier results in
 * their places. */
ssimcu_status check_look_at_all(struct check *check, ssimcu_message *message);

/* ---- share.c --------------------------------------------------------------------------------- */

/* Leaves out what other shares have. A sequence stays whole, so that each frame has its neighbours.
 * The longest comes first, and goes to the share that has least: all shares agree about that.
 * Errors: MEMORY. */
ssimcu_status check_take_share(struct check *check, ssimcu_message *message);

/* Leaves out the sequences that earlier results have whole, if no file of them has changed. Errors:
 * DATA (lines are damaged), MEMORY. */
ssimcu_status check_take_over(struct check *check, ssimcu_message *message);

/* Reads the results that are merged, which must be all shares of one check. Errors: those of
 * check_earlier_add; MISMATCH. */
ssimcu_status check_merge_open(struct check *check, ssimcu_message *message);

/* Hands out all their frames. */
ssimcu_status check_merge(struct check *check, ssimcu_message *message);

#endif
