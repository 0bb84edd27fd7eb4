/* Records: the outcome of each pair. */
#pragma once

#include "learned/learned.h"
#include "record/contract.h"
#include "record/finding.h"
#include "record/metrics.h"
#include "record/record_types.h"

#include <sys/types.h>

/* Values of a record's kind. */
#define RECORD_SCORED SSIMCU_RECORD_SCORED
#define RECORD_MISSING SSIMCU_RECORD_MISSING
#define RECORD_FAILED SSIMCU_RECORD_FAILED
#define RECORD_CHECKED SSIMCU_RECORD_CHECKED

enum { RECORD_READ = '*' }; /* marks a compared channel in a list of channels */

/* Texts of a record that only its line needs. */
enum record_text {
    /* Channels of either side that the score does not cover, separated by line breaks. NULL: none,
     * or the format has no choice of channels. */
    RECORD_LEFT,
    /* Properties that one video file does not declare: the values that were taken from the other,
     * if a metric depends on them. May be NULL. */
    RECORD_ASSUMED,
    /* The streams of the frames, if a video file has several (streams_note). NULL: each file has
     * one. */
    RECORD_STREAMS,
    /* How the two files declare different colours, as match_note_colours writes it; NULL: no
     * difference, or video. */
    RECORD_COLOURS,
    /* Hints that depend on neighbours in other shares (a text of hints/hints.h); a merge completes
     * them. NULL: the hints are final. */
    RECORD_PENDING_HINTS,
    RECORD_LAYER, /* of a frame without a reference: its layer of an EXR; may be NULL */
    /* Likewise: what its file declares (image/declared.h), each property on a line. Results lack
     * it. */
    RECORD_DECLARED,
    RECORD_TEXTS
};

/* The outcome of one pair, or of a frame without a reference. Without a reference, side 0 has no
 * path. A record is a line of the results. */
struct record {
    int64_t frame;
    uint32_t out; /* index of the pair's OUT among several; else 0 */
    ssimcu_record_kind kind;
    char *shot;                 /* directory or shot of the pair; owned; may be NULL */
    struct record_side side[2]; /* REF, OUT */
    /* The variant that replaced REF, because the pair is beyond a limit with REF. Without a path:
     * REF. */
    struct record_side variant;
    uint32_t reference; /* during scoring: index of the variant, from 1; 0: REF */
    bool missing[2];    /* RECORD_MISSING: the sides without a file */
    /* RECORD_FAILED: the error */
    ssimcu_status status;
    ssimcu_message message;
    struct findings findings; /* owned; reasons why it is not clean */
    /* RECORD_CHECKED, or RECORD_FAILED and RECORD_MISSING without a reference. `last`: the last of
     * its shot. */
    bool last;
    /* RECORD_SCORED */
    ssimcu_scored scored;
    /* Metrics other than SSIM: the known ones, as the sum of 1 << ssimcu_metric, and values by
     * ssimcu_metric. Use record_value. */
    uint32_t metrics;
    double metric[SSIMCU_METRICS], metric_channel[SSIMCU_METRICS][3];
    double mse;            /* for PSNR, as in ssimcu_score */
    double seconds;        /* time of decoding and scoring; 0: unknown; not part of results */
    bool by_nvdec[2];      /* REF, OUT: true if NVDEC, a GPU's video engine, decoded it */
    ssimcu_coded coded[2]; /* REF, OUT; for any kind of record */
    struct learned_excess learned;   /* excess over its learned limits, in the frame's pixels */
    enum learned_rule learned_worst; /* rule of `learned` that counts: see record_learned_worst */
    char *text[RECORD_TEXTS];        /* owned; by record_text */
    /* The values of all its tiles, which a callback may take over. Owned, and not in the results.
     * NULL: not requested. */
    struct learned_values *values;
};

/* Returns whether the record belongs to this directory. With layers, a shot is a directory and the
 * name of a layer: sh030/diffuse.RGB. A subdirectory may have such a name, but its files are in
 * another place. */
bool record_is_of(const struct record *record, const char *shot, bool layers);

/* Makes an empty record, which the caller frees with record_free. NULL: memory ran out. */
struct record *record_new(void);

/* Frees a record from record_new and all that it owns. Accepts NULL. */
void record_free(struct record *record);

/* Frees the texts that the record owns. */
void record_clear(struct record *record);

/* Makes a copy without `text` and `values`, which only the record's line and tiles need. The caller
 * clears it. Returns false if memory runs out; then the caller need not clear it. */
bool record_copy(struct record *copy, const struct record *record);

/* Turns it into a failed record. */
void record_fail(struct record *record, ssimcu_status status, const ssimcu_message *message);

/* Returns "ok", "checked", "missing" or the name of the error. */
const char *record_status(const struct record *record);

/* Returns the missing side of a record: "ref", "out" or "both". */
const char *record_missing(const struct record *record);

/* Returns whether both records have the same file names, and the files are known to be
 * unchanged. */
bool record_same_files(const struct record *a, const struct record *b);

/* Returns whether the file exists and is known to be unchanged. */
bool record_is_unchanged(const struct record_side *side);

/* Returns the path of the reference that it was scored against; may be NULL. */
const char *record_reference(const struct record *record);

/* Adds a hint. Its first word is its kind (hints/hints.h). */
void record_add_hint(struct record *record, const char *hint);

/* Return whether the record has a value of a metric, and the value; NAN: it has none. */
bool record_has(const struct record *record, ssimcu_metric metric);
double record_value(const struct record *record, ssimcu_metric metric);

/* Returns the values of the record's channels; NULL: the metric has none. */
const double *record_metric_channels(const struct record *record, ssimcu_metric metric);

/* Fills in the record's metrics from its score. A metric that is wanted but not known is a tool's
 * NaN. */
void record_metrics(struct record *record, const ssimcu_score *score);

/* Fills in the light of two frames from their score, except `outside`. */
void record_light(ssimcu_light_share light[2], const ssimcu_frame *const frame[2],
                  const ssimcu_score *score);

/* Writes the level shift of a record of that layout, such as "+1.250 of g at 64x64+640+128". */
const char *record_level_shift_text(char text[RECORD_TILE_TEXT], const char *layout,
                                    const ssimcu_level_shift *shift);

/* Writes the share of differing pixels, or the size of their largest group, and its place:
 * "0.012500000 at 40x40+36+119". */
const char *record_diff_text(char text[RECORD_TILE_TEXT], const ssimcu_diff *diff, bool cluster);

/* Returns the rule that is furthest beyond its limit, relative to the limit. If no rule has a
 * limit, returns the rule with the highest z. `limit` is NULL, or has one limit for each rule; 0:
 * none. */
enum learned_rule record_learned_worst(const double *limit, const double z[LEARNED_RULES]);

/* Writes how far a rule of the record is over its learned limits, such as "dark 9.12 of g at
 * 64x64+640+128". It has no place if the rule concerns the whole frame, or if the results have the
 * place of another rule. */
const char *record_learned_text(char text[RECORD_TILE_TEXT], const char *layout,
                                const struct learned_excess *learned, enum learned_rule rule);

/* Returns the larger of the two shares of clamped pixels. */
double record_clamped(const ssimcu_light_share light[2]);
