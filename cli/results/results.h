/* What a batch leaves behind: a record for each pair, written as JSON Lines or CSV, read back to
 * resume or to merge, and summed up. And what the numbers mean (the contract), in the one place
 * where single pairs take it from, too. Nothing here knows where pairs come from or who scores. */
#ifndef SSIMCU_CLI_RESULTS_H
#define SSIMCU_CLI_RESULTS_H

#include "ssimcu.h"

#include <math.h>
#include <stdbool.h>
#include <sys/types.h>

struct json_t; /* jansson's */

/* ---- The contract ---------------------------------------------------------------------------- */

/* The names of paddings, colours and alphas, in the order of their enums and ended by NULL. */
extern const char *const contract_pads[], *const contract_colors[], *const contract_alphas[];

/* Likewise of backgrounds, without end: NULL where no alpha took part, "black", "white". */
extern const char *const contract_backgrounds[];

/* Likewise of ssimcu_transfer, and of what becomes of samples that are not finite. */
extern const char *const contract_transfers[], *const contract_nans[];

/* What the channels of a score are: "rgb", "yuv" (planes), "y" (luma) or "grey". */
const char *contract_layout(const ssimcu_frame *ref, const ssimcu_frame *out, uint32_t planes,
                            const ssimcu_score *score);

/* The name of a channel there, and each channel's score under its name. */
const char *contract_channel(const char *layout, uint32_t channel);
struct json_t *channels_to_json(const char *layout, uint32_t count, const double *value);

/* A part of every frame that alone is scored, in pixels; width 0: there is none. */
struct contract_region {
    uint32_t width, height, x, y;
};

/* What becomes of pictures of linear light before they are compared, as the command line has it. */
struct contract_light {
    unsigned transfer;            /* ssimcu_transfer */
    double exposure, white, peak; /* stops; cd/m2 of white under PU21; the sample that is white */
    unsigned nan;                 /* of contract_nans: an error, zero */
    const char *layer, *channels; /* of EXR; NULL: not asked for */
};

/* Which number the score is: what the library computes, under these settings, and of what. Scores
 * of two contracts do not go together. */
struct contract {
    const ssimcu_settings *settings;
    int peak;   /* the L of the formula; 0: that is said elsewhere */
    bool video; /* planes as they are stored, which have neither colour nor alpha */
    struct contract_region region;
    int64_t offset;                     /* frame n of REF was compared with n + offset of OUT */
    uint32_t tile;                      /* pixels of a tile's side; 0: there are none */
    const struct contract_light *light; /* NULL: no picture can be of linear light */
};
struct json_t *contract_to_json(const struct contract *contract);

/* Whether scores of the two go together. One that knows nothing of linear light, of an older
 * version, goes with any. */
bool contract_same(const struct json_t *a, const struct json_t *b);

/* "srgb, exposure 0, peak 1": what is not the default, but for the first two. */
enum { CONTRACT_LIGHT_TEXT = 160 };
const char *contract_light_text(const struct contract_light *light, char text[CONTRACT_LIGHT_TEXT]);

/* A file's name: names are bytes, JSON is UTF-8, and what is not is shown as '?'. */
struct json_t *path_to_json(const char *path);

/* ---- Records --------------------------------------------------------------------------------- */

enum record_kind { RECORD_SCORED, RECORD_MISSING, RECORD_FAILED };
enum { RECORD_HINTS_BYTES = 272 };

/* What became of one pair: the line of results that stands for it. */
struct record {
    int64_t frame;
    uint32_t out; /* of which OUT, from 0, where a batch has several */
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
    bool by_nvdec[2];           /* REF, OUT: which a GPU's video engines have decoded */
    struct record_tile {        /* the one with the lowest score */
        bool known;             /* false: none were asked for */
        double score;           /* what the score would be of its windows alone */
        uint32_t x, y;          /* its upper left pixel in the frame */
        uint32_t width, height; /* pixels; less than asked for at the right and lower edge */
    } tile;
    /* REF, OUT: of a picture of linear light, which alone is known, the share of pixels that the
     * curve cannot show, the share of the file's frame that lies outside its data window, and the
     * samples that counted as 0 */
    struct record_light {
        bool known;
        double clamped, outside;
        uint64_t not_finite;
    } light[2];
    /* Why it may be bad: short texts of a fixed form, "; " between them; empty: nothing to say. */
    char hints[RECORD_HINTS_BYTES];
};

/* Frees what is its own. */
void record_clear(struct record *record);

/* Puts the path in, with the file's size and time where there are any. Returns false when there is
 * no such file. Without memory for its name the record becomes a failed one. */
bool record_name(struct record *record, int side, const char *path);

/* Makes it one whose side is missing, or a failed one. */
void record_miss(struct record *record, int side);
void record_fail(struct record *record, ssimcu_status status, const ssimcu_message *message);

/* "ok", "missing" or what failed; and of a missing one "ref", "out" or "both". */
const char *record_status(const struct record *record);
const char *record_missing(const struct record *record);

/* Whether the files have the same names and are known to be unchanged. */
bool record_same_files(const struct record *a, const struct record *b);

/* What a score says of its two frames' light; what is outside stays as it is. */
void record_light(struct record_light light[2], const ssimcu_frame *const frame[2],
                  const ssimcu_score *score);

/* More than this share of clamped pixels is worth a warning. */
#define RECORD_CLAMPED_MOST 0.01
double record_clamped(const struct record_light light[2]); /* the larger of the two */

/* The JSON of parts of a record, for outputs of single pairs as well; the last adds members. */
struct json_t *tile_to_json(const struct record_tile *tile);
struct json_t *hints_to_json(const char *hints);
struct json_t *light_to_json(const struct record_light *light);

/* ---- Summary --------------------------------------------------------------------------------- */

/* The lowest of what was scored, the worst first; of equal ones the earlier frame. */
struct ranking {
    struct ranked {
        int64_t frame;
        double score;
        struct record_tile tile;
        char *ref, *out; /* own */
    } * entry;
    uint32_t count, most;
};

/* What some scores come to. They are added up in the order of their frames, whatever the order in
 * which they came, so that any number of threads, shards or runs gives the same bits. Over n
 * scores s:
 *   mean          sum of s / n
 *   harmonic mean n / sum of 1/s; none when a score is 0 or below
 *   stddev        square root of the mean of (s - mean)^2
 *   p1, p5, p50   percentiles: the sorted scores at position (n - 1) * P / 100 counted from 0, and
 *                 between two of them on the straight line (what numpy.percentile gives) */
struct statistics {
    double mean, harmonic_mean, min, max, p1, p5, p50, stddev;
    bool has_harmonic_mean;
};

/* What a batch comes to. Every output of it comes from here. */
struct summary {
    /* input */
    size_t room;
    struct summary_score {
        int64_t frame;
        uint32_t part; /* of `part` below; UINT32_MAX: none */
        double score, channel[3];
    } * score;
    bool out_of_memory;
    struct ranking worst;       /* frames */
    struct ranking worst_tiles; /* of each frame the worst */
    const char *layout;         /* of every score; NULL: they differ */
    uint32_t channels;
    /* what they come to */
    uint64_t pairs, scored, missing, failed;
    struct statistics all; /* where scored > 0 */
    double channel[3];     /* means, where there is a layout */
    struct summary_part {  /* a directory or a shot, in the order of their first frames */
        char *name;        /* own */
        uint64_t pairs, scored, missing, failed;
        double sum, min;
        int64_t worst; /* frame of `min` */
    } * part;
    uint32_t parts;
    size_t parts_room;
    bool complete; /* nothing was cut short: set by the caller */
};

/* `worst`: how many frames and tiles to name. */
void summary_start(struct summary *summary, uint32_t worst);
void summary_add(struct summary *summary, const struct record *record);
/* Computes what the scores come to. False when memory ran out. */
bool summary_finish(struct summary *summary);
void summary_free(struct summary *summary);

/* ---- Verdict --------------------------------------------------------------------------------- */

/* What scores must keep to. */
struct limits {
    double min_score; /* of the mean; -INFINITY: none, as of the next two */
    double min_frame; /* of each frame */
    double min_tile;  /* of each frame's worst tile */
    double max_drop;  /* of each frame below its score in an earlier run; INFINITY: none */
    uint64_t max_bad; /* frames that may be beyond the last three */
    bool allow_missing;
};
#define LIMITS_NONE                                                                                \
    {                                                                                              \
        -INFINITY, -INFINITY, -INFINITY, INFINITY, 0, false                                        \
    }

/* What can be wrong with a frame. */
enum fault { FAULT_FRAME, FAULT_TILE, FAULT_DROP, FAULT_MISSING, FAULT_FAILED, FAULT_COUNT };
extern const char *const fault_names[FAULT_COUNT]; /* "min_frame": the option's, or the status */

enum { VERDICT_FRAMES = 1000 }; /* that are named; more are only counted */

/* Whether a batch kept to its limits, and which frames did not. */
struct verdict {
    struct limits limits;
    struct verdict_frame {
        int64_t frame;
        unsigned faults; /* 1 << enum fault */
        bool scored, has_baseline;
        double score, baseline;
        struct record_tile tile;
        char *hints, *ref, *out, *why; /* own; `why`: what is missing or failed */
    } * frame;
    size_t listed, room;
    uint64_t count[FAULT_COUNT]; /* frames with each fault */
    uint64_t bad;                /* frames beyond a limit of their own */
    struct verdict_frame
        lowest;          /* the one with the lowest tile under min_tile; its texts are NULL */
    uint64_t clamped;    /* frames with more clamped pixels than RECORD_CLAMPED_MOST */
    double most_clamped; /* the largest share, and where */
    int64_t clamped_frame;
    bool out_of_memory;
    /* set by verdict_finish */
    bool low_mean, too_many; /* the mean is below its limit; more frames are than max_bad */
    bool incomplete, nothing_scored;
    bool passed;
};

/* Whether scores must keep to anything. */
bool limits_any(const struct limits *limits);

/* What is wrong with one frame, 1 << enum fault each. `baseline`: its earlier score, NULL for none.
 */
unsigned verdict_faults(const struct limits *limits, const struct record *record,
                        const double *baseline);

void verdict_start(struct verdict *verdict, const struct limits *limits);
/* In the order of frames. `baseline`: the frame's earlier score, NULL for none. */
void verdict_add(struct verdict *verdict, const struct record *record, const double *baseline);
/* The limit that a frame can be beyond. */
double verdict_limit(const struct verdict *verdict, enum fault fault);
/* False when memory ran out. */
bool verdict_finish(struct verdict *verdict, const struct summary *summary);
void verdict_free(struct verdict *verdict);

/* Writes the verdict as JUnit XML, under a temporary name first: a case for all frames and one for
 * each that is named. Errors: WRITE, MEMORY. */
ssimcu_status junit_write(const char *path, const struct verdict *verdict,
                          const struct summary *summary, ssimcu_message *message);

/* ---- What outputs must not overwrite --------------------------------------------------------- */

/* Files that are there and that outputs would replace. */
struct outputs {
    uint32_t count;
    struct output {
        const char *option, *path; /* as the command line has them */
        dev_t device;
        ino_t inode;
    } file[10];
};

/* Adds the file if it is there; for results also what the writer makes or removes beside it, of two
 * at most. Errors: MEMORY. */
void outputs_add(struct outputs *outputs, const char *option, const char *path);
ssimcu_status outputs_add_results(struct outputs *outputs, const char *option, const char *path,
                                  ssimcu_message *message);

/* The output that would replace `input` ("-": standard input), under whatever name; NULL: none. */
const struct output *outputs_find(const struct outputs *outputs, const char *input);

/* ---- The first line -------------------------------------------------------------------------- */

enum { HEADER_MOST_SHARDS = 1 << 24 };

/* Which batch the results are of. Of `input` and `device` nothing is known in files of older
 * versions: NULL. */
struct header {
    struct json_t *contract;
    struct json_t *input;   /* REF, OUT and which pairs of them, as the command line had them */
    struct json_t *device;  /* what the records' backends are: {"cpu": "CPU, AVX-512", ...} */
    uint32_t shard, shards; /* shards below 2: all pairs */
};

/* Releases what it holds. */
void header_clear(struct header *header);

/* MISMATCH where `other`, of the file `path`, is of another contract or of other pairs; the message
 * says which. Other frames of them are no mismatch, unless both are shares. Also: MEMORY. */
ssimcu_status header_check(const struct header *own, const struct header *other, const char *path,
                           ssimcu_message *message);

/* What remains true of results of both: no device where they are of two, no frames likewise. The
 * second leaves the input alone. */
void header_join(struct header *header, const struct header *other);
void header_join_devices(struct header *header, const struct header *other);

/* ---- Writing --------------------------------------------------------------------------------- */

/* JSON Lines: a first line that says what was scored, a line for each pair in the order of frames,
 * a last line with the summary. CSV has the pairs' lines only, below a line of names; a control
 * character in a file's name is written as on standard error, so that a record is one line. A file
 * is written line by line under the name FILE.partial and gets its own name when it is complete:
 * FILE is always whole, and what a killed run leaves is FILE.partial. A file that is neither empty
 * nor results is never replaced: that also saves a picture that a list names only later. */
struct writer;

/* Opens `path`, or standard output for NULL. A FILE.partial that is there already is an error
 * unless `resumed`: it may hold what somebody wants to resume. It is locked, where the file system
 * can, while the writer is open: a FILE.partial that another run is writing is always an error. Its
 * content stays until writer_begin. Errors: WRITE, MEMORY. */
ssimcu_status writer_open(const char *path, bool csv, bool resumed, struct writer **writer,
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

/* Removes results under that name, where there are any. Errors: WRITE (it holds something else),
 * MEMORY. */
ssimcu_status results_remove(const char *path, ssimcu_message *message);

/* ---- Reading back ---------------------------------------------------------------------------- */

/* Lines of one or several files, by rising frame, one for each frame. */
struct loaded {
    struct header header; /* what is true of all files; its contract is NULL: none was read */
    struct loaded_line {
        int64_t frame;
        size_t place; /* among all that were read */
        bool scored;
        char *text;
        const struct json_t *device; /* as its file's header has it */
    } * line;
    size_t count, room, taken;
    struct json_t *devices; /* what the lines point to */
    bool beside;            /* lines came from path.partial or path.resume */
    bool complete;          /* every file ended in the summary of a complete run */
    uint32_t shards;        /* of the files that are shares; 0: none is */
    unsigned char *seen;    /* which shares, [shards + 1] */
};

/* Adds the lines of `path`. A last line without line break is half a line and is dropped. For a
 * frame that is there already a scored line wins; `latest`: the newer one does where both are
 * scored, else the first one, and two different scores are a MISMATCH: more than 1e-6 apart where
 * two devices made them, at all where one did. Also MISMATCH: what header_check says, or shares of
 * different counts. Other errors: FILE; DATA (a line is no result, or longer than 1 MiB); ARGUMENT
 * (it is CSV); MEMORY. */
ssimcu_status loaded_add(struct loaded *loaded, const char *path, bool latest,
                         ssimcu_message *message);

/* What a run that is to be resumed has left: `path`, path.partial and path.resume, as far as they
 * are there. Errors: as loaded_add. */
ssimcu_status loaded_resume(struct loaded *loaded, const char *path, ssimcu_message *message);

/* Puts the lines of all into path.resume, so that path.partial can be written anew; nothing to do
 * where `path` alone was there. Errors: WRITE, MEMORY. */
ssimcu_status loaded_save(const struct loaded *loaded, const char *path, ssimcu_message *message);

/* The record of line `at`. Errors: MEMORY. */
ssimcu_status loaded_record(const struct loaded *loaded, size_t at, struct record *record,
                            ssimcu_message *message);

/* The record of a frame that was scored. False where there is none, or no memory for it. */
bool loaded_find(const struct loaded *loaded, int64_t frame, struct record *record);

void loaded_free(struct loaded *loaded);

#endif
