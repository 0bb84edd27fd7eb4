/* The verdict: whether a run met its limits, and which frames did not. */
#pragma once

#include "base/text.h"
#include "record/hinted.h"
#include "record/summary.h"
#include "verdict/limits.h"

extern const char *const verdict_mean_kinds[SSIMCU_METRICS]; /* "min_score" */

/* The result of judging a record. It is computed once and goes with the record. */
struct judged {
    struct limits own; /* the limits of the record, without a file */
    /* The kinds by which the record fails, and the limits among them that could not judge it. For
     * example, a scored frame has no tile or no earlier score. */
    finding_mask fails, unjudged;
    /* The largest excess over a numeric limit (limit_excess), and that limit. The excess over a
     * limit that could not judge the record is infinite. FINDING_KINDS and 0: none. */
    double excess;
    int furthest;
    bool has_baseline;
    struct verdict_baseline baseline; /* the frame's earlier score; zeros: none */
};

/* Judges a record. `baseline`: its earlier score; NULL: none. `matched`: as for limits_for. */
struct judged verdict_judge(const struct limits *limits, const struct record *record,
                            const struct verdict_baseline *baseline, uint64_t *matched);

/* Returns whether numeric limits apply to the record. */
bool verdict_is_limited(const struct judged *judged);

/* Returns its excess; NaN if no limit applies. */
double verdict_excess(const struct judged *judged);

/* Describes the record by the limit of verdict_furthest: "not judged", "furthest beyond" or
 * "nearest to a limit". */
const char *verdict_standing(const struct judged *judged);

/* Returns the tile that a page shows of a scored record. It is the tile of the limit that the
 * record is furthest beyond or nearest to, or else its worst tile. Width 0: none. */
ssimcu_tile verdict_place(const struct judged *judged, const struct record *record);

/* Writes that limit's number, the limit and the place: "level shift +9.120 (limit 6) of g at
 * 32x32+64+128", or "not in the baseline" if the record cannot be held against it. Returns `text`.
 */
enum { VERDICT_FURTHEST = RECORD_TILE_TEXT + 112 };
const char *verdict_furthest(char text[VERDICT_FURTHEST], const struct judged *judged,
                             const struct record *record);

/* Names the scale of an excess, as in "1.49 x its limit". */
const char *verdict_scale(const struct judged *judged);

enum { VERDICT_FRAMES = 1000 }; /* most frames in the list; others are only counted */

/* The verdict of a batch. */
struct verdict {
    struct limits limits;
    struct verdict_frame {
        int64_t frame;
        struct judged judged;
        char *shot, *ref, *out;   /* owned */
        struct findings findings; /* owned; copied from the record */
    } * frame;
    size_t listed, room;
    uint64_t count[FINDING_KINDS];          /* frames that fail by each kind */
    uint64_t found, of_kind[FINDING_KINDS]; /* frames with findings, and with those of each kind */
    uint64_t limited[FINDING_MISSING];      /* scored frames with such a limit */
    uint64_t unjudged[FINDING_MISSING];     /* frames among them that it could not judge */
    uint64_t *matched;       /* owned; number of frames that each rule of limits.file matches */
    uint64_t bad;            /* frames beyond one of their limits */
    struct verdict_extreme { /* the frame that is furthest beyond each limit, if the limit's row
                                names it */
        bool known;
        double excess; /* limit_excess */
        int64_t frame;
        char *shot;                  /* owned; may be NULL */
        char text[RECORD_TILE_TEXT]; /* its number and place */
    } extreme[FINDING_FAIL_ON];
    /* Frames that are furthest beyond their limits or nearest to them. Values are minus the excess,
     * which is infinite if they could not be judged, with verdict_scale and verdict_furthest. Set
     * `most` after verdict_start. */
    struct ranking furthest;
    struct hinted hinted; /* all frames with hints, bad or not */
    uint64_t clamped;     /* frames with more clamped pixels than RECORD_CLAMPED_MOST */
    double most_clamped;  /* the largest share, and its frame below */
    int64_t clamped_frame;
    char *clamped_shot; /* owned; may be NULL */
    bool out_of_memory;
    /* results of verdict_finish */
    uint32_t low_mean; /* metrics whose score is below its limit: sum of 1 << ssimcu_metric */
    bool too_many;     /* more than max_bad frames are bad, or a limit judged no frame */
    bool unlimited;    /* the file has limits, but none applies to a scored frame */
    bool incomplete, nothing_scored;
    bool passed;
};

/* Returns whether there is any limit, at least for some frames. */
bool verdict_any_limit(const struct limits *limits);

/* Writes how a scored frame is beyond the limit of a finding below FINDING_FAIL_ON, and returns
 * `text`. The limit must be able to judge it. Examples: "score 0.890096434 under --min-frame 0.9",
 * "score 0.890096434, was 1.000000000: over --max-drop 0.1", "dark 9.12 of g at 32x32+64+128 over
 * max_excess 6.1 of sh030/...". */
enum { VERDICT_LIMIT = 512, VERDICT_BEYOND = RECORD_TILE_TEXT + TEXT_DIGITS + VERDICT_LIMIT };
const char *verdict_beyond(char text[VERDICT_BEYOND], const struct judged *judged, int fault,
                           const struct record *record);

void verdict_start(struct verdict *verdict, const struct limits *limits);

/* Judges a record as verdict_judge does, and adds it, in the order of frames. The record gets the
 * findings of its limits, and all its findings get whether they fail. Returns the judgement. If
 * memory runs out, verdict_finish reports it. */
struct judged verdict_add(struct verdict *verdict, struct record *record,
                          const struct verdict_baseline *baseline);

/* Writes the limit of a finding below FINDING_MISSING and returns `text`: "--min-tile 0.9",
 * "min_tile 0.62 of sh030/..." for a rule, or "max_excess of sh030/..." for learned limits.
 * verdict_limit_name names it for all frames: "--min-tile 0.9" or "min_tile of limits.json". */
const char *verdict_limit_text(char text[VERDICT_LIMIT], const struct limits *limits, int fault);
const char *verdict_limit_name(char text[VERDICT_LIMIT], const struct limits *limits, int fault);

/* Writes by how much the run's score of a metric misses its limit: "0.890096434 under --min-score
 * 0.9" or "psnr 37.100000000 under --min-score psnr=38". Returns `text`. */
const char *verdict_mean_text(char text[VERDICT_LIMIT], const struct verdict *verdict,
                              const struct summary *summary, ssimcu_metric metric);

/* Writes the limit of a run's score: "--min-score 0.9" or "--min-score psnr=38". */
const char *verdict_score_text(char text[VERDICT_LIMIT], const struct limits *limits,
                               ssimcu_metric metric);

/* Returns whether a kind is a reason for the verdict. */
bool verdict_counts(const struct verdict *verdict, int fault);

/* Completes the verdict. Returns false if memory ran out, now or earlier. */
bool verdict_finish(struct verdict *verdict, const struct summary *summary);

void verdict_free(struct verdict *verdict);
