/* Earlier results read back: to resume a run, to merge shares, to compare with a baseline. */
#ifndef SSIMCU_QA_EARLIER_H
#define SSIMCU_QA_EARLIER_H

#include "facts/header.h"

struct record;

/* Lines of one or several files, in the order of their frames, one for each frame. {0} has none. */
struct earlier_results {
    struct header header; /* what is true of all files; its contract is NULL before one is read */
    struct earlier_line {
        int64_t frame;
        char *part;    /* own; NULL: none */
        size_t place;  /* position among all lines that were read */
        uint32_t name; /* CRC-32 of the name of REF's file, without its directory */
        bool scored;
        char *text;                  /* own */
        const struct json_t *device; /* `device` of its file's header */
    } * line;
    size_t count, room, lines_read;
    struct json_t *devices; /* the devices that the lines point to */
    bool chosen;            /* some file is of a list, or of some frames (--frames) */
    bool lookless;          /* some frame was scored and has no `look`, of which hints are made */
    bool limited;           /* some file is a share that was given limits */
    bool unfinished;        /* lines came from path.partial or path.resume */
    bool complete;          /* every file ended in the summary of a complete run */
    uint32_t shards;        /* number of shares of the run; 0: no file is a share */
    unsigned char *shard_read;   /* marks of the shares that were read, [shards + 1] */
    struct json_t *shard_frames; /* own; the frames that they are shares of; NULL: all */
    uint64_t (*segment)[2];      /* their begin and end (header.h), at the same places */
};

/* Adds the lines of `path`, which must be as many as its summary counts. A last line without a line
 * break is half a line and is dropped. If a frame has two lines, a scored one wins; if neither is
 * scored, the first stays. If both are scored, the newer one wins with `latest`. Without `latest`
 * the first stays, and the scores must agree: exactly if one device made both, else within 1e-6.
 *
 * Fails with MISMATCH if two scores disagree, shares have different counts, or header_check fails.
 * Other errors: FILE; DATA (a line is no result, or longer than 1 MiB, or lines are lost); ARGUMENT
 * (CSV); MEMORY. */
ssimcu_status earlier_add(struct earlier_results *earlier, const char *path, bool latest,
                          ssimcu_message *message);

/* Adds what the run to be resumed has left: those of `path`, path.resume and path.partial that
 * exist. Errors: those of earlier_add. */
ssimcu_status earlier_resume(struct earlier_results *earlier, const char *path,
                             ssimcu_message *message);

/* Writes all scored lines to path.resume, so that path.partial can be written anew. Does nothing if
 * `path` alone was there. Errors: WRITE, MEMORY. */
ssimcu_status earlier_save(const struct earlier_results *earlier, const char *path,
                           ssimcu_message *message);

/* Returns whether no share of the run is missing, or the results are of no shares. */
bool earlier_has_all_shares(const struct earlier_results *earlier);

/* Reads the record of line `at`; the caller clears it. Errors: MEMORY. */
ssimcu_status earlier_record(const struct earlier_results *earlier, size_t at,
                             struct record *record, ssimcu_message *message);

/* Finds the record of a part's frame that was scored; the caller clears it. Returns false if there
 * is none, or no memory for it. Many threads may call it. */
bool earlier_find(const struct earlier_results *earlier, const char *part, int64_t frame,
                  struct record *record);

/* Finds what was scored of the pictures of a record. Where names have no numbers, a frame is a
 * position, which another picture may have had: then it is the one of REF's name. In a list many
 * pictures may have one name, in directories of their own: there it is the one of REF's path. */
bool earlier_find_picture(const struct earlier_results *earlier, const struct record *wanted,
                          bool list, struct record *record);

/* Returns the number that a line has for the name of REF's file. */
uint32_t earlier_name(const struct record *record);

/* Says that a line of a file, by its number from 1, is no result, and returns DATA. */
ssimcu_status earlier_bad_line(const char *path, unsigned long number, ssimcu_message *message);

/* Fails with DATA if the first line of a file says that its results are of another kind than
 * `wanted`, which is "batch" or "check"; the message says what reads them. */
ssimcu_status earlier_other_kind(const char *path, const struct json_t *first, const char *wanted,
                                 ssimcu_message *message);

void earlier_free(struct earlier_results *earlier);

#endif
