/* Records: what became of each pair. */
#ifndef SSIMCU_QA_RECORD_H
#define SSIMCU_QA_RECORD_H

#include "facts/contract.h"
#include "facts/metrics.h"
#include "facts/record_parts.h"
#include "floors/floors.h"
#include "ssimcu_qa_types.h"

#include <sys/types.h>

/* Values of a record's kind. */
#define RECORD_SCORED SSIMCU_RECORD_SCORED
#define RECORD_MISSING SSIMCU_RECORD_MISSING
#define RECORD_FAILED SSIMCU_RECORD_FAILED

enum { RECORD_HINTS_BYTES = sizeof((ssimcu_scored *)0)->hints };
enum { RECORD_READ = '*' }; /* mark of a channel that is compared, in a list of channels */

/* The texts of a record that only its line needs. */
enum record_text {
    /* Channels of either side that the score does not cover, a line break between; NULL: none, or
     * the format has none to choose from. */
    RECORD_LEFT,
    /* What a file of video does not say of its samples, and the other does: what was taken for it,
     * where a metric reads it; NULL: nothing. */
    RECORD_ASSUMED,
    /* The streams that the frames are of, where video files have several (streams_note); NULL: each
     * file has one. */
    RECORD_STREAMS,
    /* How the two files say that their colours differ, as match_note_colours writes it; NULL: they
     * do not differ, or it is video. */
    RECORD_COLOURS,
    /* What a look at the pair alone has found, if its neighbours are in other shares (a text of
     * hints/hints.h): a merge makes hints of it; NULL: the hints are final. */
    RECORD_LOOK,
    RECORD_TEXTS
};

/* The outcome of one pair; it is a line of the results. */
struct record {
    int64_t frame;
    uint32_t out; /* index of the pair's OUT among several; else 0 */
    ssimcu_record_kind kind;
    char *part;                 /* directory or shot that the pair belongs to; own; NULL: none */
    struct record_side side[2]; /* REF, OUT */
    /* The reference that it was scored against instead of REF, because it is beyond a limit there;
     * without a path: REF. */
    struct record_side variant;
    uint32_t reference; /* while it is scored: the further reference, from 1; 0: REF */
    bool missing[2];    /* RECORD_MISSING: the sides without a file */
    /* RECORD_FAILED: the error */
    ssimcu_status status;
    ssimcu_message message;
    /* RECORD_SCORED */
    ssimcu_scored scored;
    /* Metrics beside SSIM: those that are known, 1 << ssimcu_metric added up, and their values by
     * ssimcu_metric: use record_value. */
    uint32_t metrics;
    double metric[SSIMCU_METRICS], metric_channel[SSIMCU_METRICS][3];
    double mse;                  /* of PSNR, as in ssimcu_score */
    double seconds;              /* time of decoding and scoring; 0: unknown; not part of results */
    bool by_nvdec[2];            /* REF, OUT: true if NVDEC, a GPU's video engine, decoded it */
    ssimcu_coded coded[2];       /* REF, OUT; of any kind of record */
    uint32_t stream, streams;    /* check's stream of a video, and how many that has */
    struct floor_excess floor;   /* how far it is beyond its floors, in the frame's pixels */
    enum floor_rule floor_worst; /* rule of `floor` that counts: see record_floor_worst */
    char *text[RECORD_TEXTS];    /* own; by record_text */
    /* The values of all its tiles, which whoever takes the record may take; own, and not part of
     * results; NULL: nobody asks for them. */
    struct floor_values *values;
};

/* Returns whether the record is of this directory. With layers, a part is a directory and the name
 * of a layer: sh030/diffuse.RGB. A directory below this one looks the same, but its files lie
 * elsewhere. */
bool record_is_of(const struct record *record, const char *part, bool layers);

/* Makes an empty record, the caller's to free with record_free. NULL: memory ran out. */
struct record *record_new(void);

/* Frees a record from record_new with all that it owns. NULL is allowed. */
void record_free(struct record *record);

/* Frees the texts that the record owns. */
void record_clear(struct record *record);

/* Makes a copy, which the caller clears, but without `text` and `values`, which only its line and
 * its tiles need. Returns false if memory runs out; there is nothing to clear then. */
bool record_copy(struct record *copy, const struct record *record);

/* Makes it a failed record. */
void record_fail(struct record *record, ssimcu_status status, const ssimcu_message *message);

/* Returns "ok", "missing" or the name of the error. */
const char *record_status(const struct record *record);

/* Returns the missing side of a record: "ref", "out" or "both". */
const char *record_missing(const struct record *record);

/* Returns whether the files have the same names and are known to be unchanged. */
bool record_same_files(const struct record *a, const struct record *b);

/* Returns whether the file is there and known to be unchanged. */
bool record_is_unchanged(const struct record_side *side);

/* Returns the path of the reference that it was scored against; NULL: none. */
const char *record_reference(const struct record *record);

/* Returns the kind of the next hint, its first word, and moves *hints behind that hint. NULL: there
 * are no more. */
const char *record_next_kind(const char **hints, size_t *length);

/* Returns whether a list of kinds with commas between, or NULL, has this one. */
bool record_lists_kind(const char *list, const char *kind, size_t length);

/* Return whether the record has a value of a metric, and that value; NAN: it has none. */
bool record_has(const struct record *record, ssimcu_metric metric);
double record_value(const struct record *record, ssimcu_metric metric);

/* Returns the values of the record's channels; NULL: the metric has none of them. */
const double *record_metric_channels(const struct record *record, ssimcu_metric metric);

/* Fills in the metrics from the record's score: those of `metrics`, which are wanted, and all that
 * are known. One that is wanted and not known is a tool's NaN. */
void record_metrics(struct record *record, const ssimcu_score *score);

/* Fills in the light of two frames from their score; `outside` stays as it is. */
void record_light(ssimcu_light_share light[2], const ssimcu_frame *const frame[2],
                  const ssimcu_score *score);

/* Writes the shift of a record of that layout, such as "+1.250 of g at 64x64+640+128". */
const char *record_shift_text(char text[RECORD_TILE_TEXT], const char *layout,
                              const ssimcu_tile_shift *shift);

/* Writes the share of pixels that differ, or of how many their largest group is, and where that is:
 * "0.012500000 at 40x40+36+119". */
const char *record_differing_text(char text[RECORD_TILE_TEXT], const ssimcu_differing *differing,
                                  bool blob);

/* Returns the rule that is furthest beyond its limit, measured by that; without limits, or with
 * none for any rule, that of the highest z. `limit`: NULL, or one for each rule; 0: none. */
enum floor_rule record_floor_worst(const double *limit, const double z[FLOOR_RULES]);

/* Likewise writes how far a rule of the record is beyond its floor, such as "dark 9.12 of g at
 * 64x64+640+128". There is no place if the rule is of the whole frame, or if results had that of
 * another rule. */
const char *record_floor_text(char text[RECORD_TILE_TEXT], const char *layout,
                              const struct floor_excess *floor, enum floor_rule rule);

/* Returns the larger share of clamped pixels of the two. */
double record_clamped(const ssimcu_light_share light[2]);

#endif
