/* What became of one frame: the line of results that stands for it. */
#ifndef SSIMCU_CLI_RECORD_H
#define SSIMCU_CLI_RECORD_H

#include "options.h"

enum record_kind { RECORD_SCORED, RECORD_MISSING, RECORD_FAILED };

/* A file as it was before it was read: the same size and time mean the same content. */
struct record_side {
    char *path; /* NULL: no such file; the record's own */
    bool known; /* the rest is; not for standard input */
    int64_t bytes;
    int64_t seconds; /* of its last change */
    long nanoseconds;
};

struct record {
    int64_t frame;
    enum record_kind kind;
    struct record_side side[2]; /* REF, OUT */
    bool missing[2];            /* RECORD_MISSING: which */
    /* RECORD_FAILED: why */
    ssimcu_status status;
    ssimcu_message message;
    /* RECORD_SCORED */
    double score;
    uint32_t channels;
    double channel[3];
    const char *layout; /* what the channels are, "rgb", "yuv", "y" (luma), "grey" */
    uint32_t bits;
    ssimcu_background background;
    const char *backend; /* "cpu" or "cuda" */
};

/* Frees the paths. */
void record_clear(struct record *record);

/* Puts the path in, with the file's size and time where there are any. Returns false when there is
 * no such file, or no memory for its name. */
bool record_name(struct record *record, int side, const char *path);

/* Whether the files have the same names and are known to be unchanged. */
bool record_same_files(const struct record *a, const struct record *b);

/* Makes it a failed one. */
void record_fail(struct record *record, ssimcu_status status, const ssimcu_message *message);

/* One line, without line break, for JSON Lines; free it. NULL when memory runs out. */
char *record_to_json(const struct record *record);

/* Reads a line back. False when it is not the line of a frame. */
bool record_from_json(const char *line, struct record *record);

/* The line of the same results as CSV, and the line above them all. */
extern const char record_csv_header[];
char *record_to_csv(const struct record *record);

/* What is wrong with a frame, for a person: "frame 7: missing: out/7.png". */
void record_complaint(const struct record *record, ssimcu_message *line);

/* A file's name as JSON: names are bytes, JSON is UTF-8, and what is not is shown as '?'. */
struct json_t *record_json_path(const char *path);

/* Which number the score is: what the library computes, under these settings. */
struct json_t *record_json_contract(const ssimcu_settings *settings);

/* Every number in results is printed with so many digits: enough to read back the same bits. */
enum { RECORD_DIGITS = 17 };

#endif
