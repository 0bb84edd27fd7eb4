/* What a batch leaves behind: a record for each pair, written as JSON Lines or CSV, read back to
 * resume or to merge, and summed up. And what the numbers mean (the contract), in the one place
 * where single pairs take it from, too. Nothing here knows where pairs come from or who scores. */
#ifndef SSIMCU_CLI_RESULTS_H
#define SSIMCU_CLI_RESULTS_H

#include "ssimcu.h"

#include <stdbool.h>
#include <sys/types.h>

struct json_t; /* jansson's */

/* ---- The contract ---------------------------------------------------------------------------- */

/* The names of paddings, colours and alphas, in the order of their enums and ended by NULL. */
extern const char *const contract_pads[], *const contract_colors[], *const contract_alphas[];

/* Likewise of backgrounds, without end: NULL where no alpha took part, "black", "white". */
extern const char *const contract_backgrounds[];

/* What the channels of a score are: "rgb", "yuv" (planes), "y" (luma) or "grey". */
const char *contract_layout(const ssimcu_frame *ref, const ssimcu_frame *out, uint32_t planes,
                            const ssimcu_score *score);

/* Each channel's score under its name. */
struct json_t *channels_to_json(const char *layout, uint32_t count, const double *value);

/* Which number the score is: what the library computes, under these settings. `peak` is the L of
 * the formula, 0 where that is said elsewhere. */
struct json_t *contract_to_json(const ssimcu_settings *settings, int peak);

/* A part of every frame that alone is scored, in pixels; width 0: there is none. */
struct contract_region {
    uint32_t width, height, x, y;
};

/* Adds what was chosen of the frames, where anything was: scores of other choices do not go
 * together. Frame n of REF was compared with n + offset of OUT. Takes the contract, which may be
 * NULL, and returns it; NULL where memory runs out. */
struct json_t *contract_choose(struct json_t *contract, const struct contract_region *region,
                               int64_t offset);

/* A file's name: names are bytes, JSON is UTF-8, and what is not is shown as '?'. */
struct json_t *path_to_json(const char *path);

/* ---- Records --------------------------------------------------------------------------------- */

enum record_kind { RECORD_SCORED, RECORD_MISSING, RECORD_FAILED };
enum { RECORD_HINTS_BYTES = 192 };

/* What became of one pair: the line of results that stands for it. */
struct record {
    int64_t frame;
    enum record_kind kind;
    char *part; /* the directory or shot it belongs to, the record's own; NULL: there are none */
    /* REF, OUT: a file as it was before it was read. The same size and time mean the same content.
     */
    struct record_side {
        char *path; /* NULL: no such file; the record's own */
        bool known; /* the rest is; not for standard input */
        int64_t bytes;
        int64_t seconds; /* of its last change */
        long nanoseconds;
    } side[2];
    bool missing[2]; /* RECORD_MISSING: which */
    /* RECORD_FAILED: why */
    ssimcu_status status;
    ssimcu_message message;
    /* RECORD_SCORED */
    double score;
    uint32_t channels;
    double channel[3];
    const char *layout; /* as contract_layout says */
    uint32_t bits;
    ssimcu_background background;
    const char *backend;        /* "cpu" or "cuda" */
    struct record_tile {        /* the one with the lowest score */
        bool known;             /* false: none were asked for */
        double score;           /* what the score would be of its windows alone */
        uint32_t x, y;          /* its upper left pixel in the frame */
        uint32_t width, height; /* pixels; less than asked for at the right and lower edge */
    } tile;
    /* Why it may be bad: short texts of a fixed form, "; " between them; empty: nothing to say. */
    char hints[RECORD_HINTS_BYTES];
};

/* Frees what is its own. */
void record_clear(struct record *record);

/* Puts the path in, with the file's size and time where there are any. Returns false when there is
 * no such file, or no memory for its name. */
bool record_name(struct record *record, int side, const char *path);

/* Makes it one whose side is missing, or a failed one. */
void record_miss(struct record *record, int side);
void record_fail(struct record *record, ssimcu_status status, const ssimcu_message *message);

/* Whether the files have the same names and are known to be unchanged. */
bool record_same_files(const struct record *a, const struct record *b);

/* ---- Summary --------------------------------------------------------------------------------- */

/* What the scores come to. Every output of it comes from here.
 *
 * Scores are added up in the order of their frames, whatever the order in which they came, so that
 * any number of threads, shards or runs gives the same bits. Over n scores s:
 *   mean          sum of s / n
 *   harmonic mean n / sum of 1/s; none when a score is 0 or below
 *   stddev        square root of the mean of (s - mean)^2
 *   p1, p5, p50   percentiles: the sorted scores at position (n - 1) * P / 100 counted from 0, and
 *                 between two of them on the straight line (what numpy.percentile gives)
 *   worst         the lowest scores, of equal ones the earlier frame first */
struct summary {
    /* input */
    size_t room;
    struct summary_score {
        int64_t frame;
        double score;
    } * score;
    struct summary_worst {
        int64_t frame;
        double score;
        char *ref, *out; /* own */
    } * worst;           /* sorted */
    uint32_t worst_count, worst_most;
    bool out_of_memory;
    /* what they come to */
    uint64_t pairs, scored, missing, failed;
    double mean, harmonic_mean, min, max, p1, p5, p50, stddev; /* where scored > 0 */
    bool has_harmonic_mean;
    bool complete; /* nothing was cut short: set by the caller */
};

/* `worst`: how many frames to name. */
void summary_start(struct summary *summary, uint32_t worst);
void summary_add(struct summary *summary, const struct record *record);
/* Computes what the scores come to. False when memory ran out. */
bool summary_finish(struct summary *summary);
void summary_free(struct summary *summary);

/* How many scores are below `limit`. */
uint64_t summary_below(const struct summary *summary, double limit);

/* ---- What outputs must not overwrite --------------------------------------------------------- */

/* Files that are there and that outputs would replace. */
struct outputs {
    uint32_t count;
    struct output {
        const char *option, *path; /* as the command line has them */
        dev_t device;
        ino_t inode;
    } file[8];
};

/* Adds the file if it is there; for results also what the writer makes or removes beside it, of two
 * at most. Errors: MEMORY. */
void outputs_add(struct outputs *outputs, const char *option, const char *path);
ssimcu_status outputs_add_results(struct outputs *outputs, const char *option, const char *path,
                                  ssimcu_message *message);

/* The output that would replace `input` ("-": standard input), under whatever name; NULL: none. */
const struct output *outputs_find(const struct outputs *outputs, const char *input);

/* ---- Writing --------------------------------------------------------------------------------- */

/* JSON Lines: a first line with the contract, a line for each pair in the order of frames, a last
 * line with the summary. CSV has the pairs' lines only. A file is written line by line under the
 * name FILE.partial and gets its own name when it is complete: FILE is always whole, and what a
 * killed run leaves is FILE.partial. A file that is neither empty nor results is never replaced:
 * that also saves a picture that a list names only later. */
struct writer;

/* Opens `path`, or standard output for NULL. A FILE.partial that is there already is an error
 * unless `resumed`: it may hold what somebody wants to resume. Errors: WRITE, MEMORY. */
ssimcu_status writer_open(const char *path, bool csv, bool resumed, struct writer **writer,
                          ssimcu_message *message);

/* The first line; `shards` above 1 marks it as one share. Errors: WRITE, MEMORY. */
ssimcu_status writer_begin(struct writer *writer, const struct json_t *contract, uint32_t shard,
                           uint32_t shards, ssimcu_message *message);

/* A pair's line; it is with the system when this returns. */
ssimcu_status writer_add(struct writer *writer, const struct record *record,
                         ssimcu_message *message);

/* The last line; a complete file then gets its name, an incomplete one stays FILE.partial. */
ssimcu_status writer_end(struct writer *writer, const struct summary *summary,
                         ssimcu_message *message);

/* Closes what is open; a file that was not ended stays FILE.partial, unless no pair is in it.
 * Accepts NULL. */
void writer_close(struct writer *writer);

/* ---- Reading back ---------------------------------------------------------------------------- */

/* Lines of one or several files, by rising frame, one for each frame. */
struct loaded {
    struct json_t *contract;
    struct loaded_line {
        int64_t frame;
        size_t place; /* among all that were read */
        bool scored;
        char *text;
    } * line;
    size_t count, room, taken;
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

/* What a run that is to be resumed has left: `path`, path.partial and path.resume, as far as they
 * are there. Puts the lines of all into path.resume, so that path.partial can be written anew.
 * `is_output`: results are going to `path` again. Errors: as loaded_add; WRITE. */
ssimcu_status loaded_resume(struct loaded *loaded, const char *path, bool is_output,
                            ssimcu_message *message);

/* The record of line `at`. False when that line is damaged. */
bool loaded_record(const struct loaded *loaded, size_t at, struct record *record);

/* The record of a frame that was scored. False where there is none. */
bool loaded_find(const struct loaded *loaded, int64_t frame, struct record *record);

void loaded_free(struct loaded *loaded);

#endif
