/* Earlier results read back: to resume a run, to merge shares, to compare with a baseline. */
#pragma once

#include "record/header.h"
#include "record/record_types.h"

struct record;

/* Lines of one or several files, in the order of their frames, one per frame. {0} is empty. */
struct results_reader {
    struct header header; /* facts of all files; its contract is NULL before the first one */
    struct results_line {
        int64_t frame;
        char *shot;    /* owned; may be NULL */
        size_t place;  /* position among all lines read */
        uint32_t file; /* index of its file */
        uint32_t name; /* CRC-32 of REF's file name, without its directory */
        bool scored;
        char *text; /* owned; NULL: a frame of a check without findings, which has only `side` and
                       `last` */
        struct record_side side; /* owned */
        bool last;
        const struct json_t *device; /* `device` of its file's header */
    } * line;
    size_t count, room, lines_read;
    uint32_t files;            /* number of files read */
    struct json_t *devices;    /* the devices that the lines point to */
    bool chosen;               /* a file has a list, or selected frames (--frames) */
    bool no_hints;             /* a scored frame has no pending hints, from which hints are made */
    bool limited;              /* a file is a share with limits */
    bool mixed;                /* files of checks with different kinds that fail */
    bool unfinished;           /* lines came from path.partial or path.resume */
    bool complete;             /* every file ended in the summary of a complete run */
    uint32_t shards;           /* number of shares of the run; 0: no file is a share */
    unsigned char *shard_read; /* marks of the shares that were read, [shards + 1] */
    struct json_t *shard_frames; /* owned; selected frames of the shared run; NULL: all */
    uint64_t (*segment)[2];      /* begin and end of each share (header.h), at the same indices */
};

/* Adds the lines of `path`. Their number must match its summary. A last line without a line break
 * is incomplete and is dropped.
 *
 * If a frame has two lines, a scored one wins. If neither is scored, the first stays. If both are
 * scored, the newer one wins with `latest`. Without `latest` the first stays, and the scores must
 * agree: exactly if one device made both, else within 1e-6.
 *
 * Fails with MISMATCH if two scores disagree, shares have different counts, or header_check fails.
 * Other errors: FILE; DATA (a line is not a result, or longer than 1 MiB, or lines are lost);
 * ARGUMENT (CSV); MEMORY. */
ssimcu_status results_reader_add(struct results_reader *earlier, const char *path, bool latest,
                                 ssimcu_message *message);

/* Adds the remains of the run to resume: those of `path`, path.resume and path.partial that exist.
 * Errors: as results_reader_add. */
ssimcu_status results_reader_resume(struct results_reader *earlier, const char *path,
                                    ssimcu_message *message);

/* Writes all scored lines to path.resume, so that path.partial can be rewritten. Does nothing if
 * only `path` existed. Errors: WRITE, MEMORY. */
ssimcu_status results_reader_save(const struct results_reader *earlier, const char *path,
                                  ssimcu_message *message);

/* Returns line `at` as text, which the caller frees; NULL if memory runs out. */
char *results_reader_text(const struct results_reader *earlier, size_t at);

/* Returns whether all shares of the run are present, or the results are not shares. */
bool results_reader_has_all_shares(const struct results_reader *earlier);

/* Reads the record of line `at`; the caller clears it. Errors: MEMORY. */
ssimcu_status results_reader_record(const struct results_reader *earlier, size_t at,
                                    struct record *record, ssimcu_message *message);

/* Finds the scored record of a shot's frame; the caller clears it. Returns false if there is none,
 * or no memory for it. Many threads may call it. */
bool results_reader_find(const struct results_reader *earlier, const char *shot, int64_t frame,
                         struct record *record);

/* Finds the earlier score of a record's pictures. If file names have no numbers, a frame is a
 * position, which another picture may have had. Then REF's name decides. A list may have equal
 * names in different directories. Then REF's path decides. */
bool results_reader_find_picture(const struct results_reader *earlier, const struct record *wanted,
                                 bool list, struct record *record);

/* Returns `name` of a line: the CRC-32 of REF's file name. */
uint32_t results_reader_name(const struct record *record);

/* Fails with MISMATCH if the results come from a check, which has no scores. `path` names them. */
ssimcu_status results_reader_has_scores(const struct results_reader *earlier, const char *path,
                                        ssimcu_message *message);

/* Reports that a line of a file, by its number from 1, is not a result. Returns DATA. */
ssimcu_status results_reader_bad_line(const char *path, unsigned long number,
                                      ssimcu_message *message);

void results_reader_free(struct results_reader *earlier);
