/* Records: what became of one pair. */
#ifndef SSIMCU_QA_RECORD_H
#define SSIMCU_QA_RECORD_H

#include "results/contract.h"

#include <sys/types.h>

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

/* Returns the record as a JSON object whose first member is `type`; NULL if memory runs out. */
struct json_t *record_to_object(const struct record *record, const char *type);

#endif
