/* The verdict: whether a run kept to its limits, and which frames did not. */
#ifndef SSIMCU_QA_VERDICT_H
#define SSIMCU_QA_VERDICT_H

#include "base/text.h"
#include "facts/hinted.h"
#include "facts/summary.h"
#include "verdict/limits.h"

extern const char *const verdict_mean_kinds[SSIMCU_METRICS]; /* "min_score" */

/* What limits say of a record. It is worked out once and goes with the record. */
struct judged {
    struct limits own; /* those that hold for the record, without a file */
    /* 1 << enum fault each. A scored frame that a limit cannot be held against, because it has no
     * tile or no earlier score, is beyond that limit, and `unjudged` says so. */
    unsigned faults, unjudged;
    /* The largest excess over a limit that is a number (faults_excess), and that limit. A limit
     * that could not be held against it is infinitely far; FAULT_COUNT and 0: there is none. */
    double excess;
    int furthest;
    bool has_baseline;
    struct verdict_baseline baseline; /* the frame's earlier score; zeros: none */
};

/* Judges a record. `baseline`: its earlier score; NULL: none. `matched`: as for limits_for. */
struct judged verdict_judge(const struct limits *limits, const struct record *record,
                            const struct verdict_baseline *baseline, uint64_t *matched);

/* Returns whether limits that are numbers hold for the record. */
bool verdict_is_limited(const struct judged *judged);

/* Returns its excess; NaN if none holds for it. */
double verdict_excess(const struct judged *judged);

/* Says how it stands to the limit of verdict_furthest: "not judged", "furthest beyond" or "nearest
 * to a limit". */
const char *verdict_standing(const struct judged *judged);

/* Returns the tile that a page shows of a scored record: that of the limit that it is furthest
 * beyond or nearest to; if there is none, its worst tile. No width: none. */
ssimcu_tile verdict_place(const struct judged *judged, const struct record *record);

/* Writes that limit's number, with its place: "shift +9.120 of g at 32x32+64+128", or "not in the
 * baseline" if the record cannot be held against it. Returns `text`. */
enum { VERDICT_FURTHEST = RECORD_TILE_TEXT + 24 };
const char *verdict_furthest(char text[VERDICT_FURTHEST], const struct judged *judged,
                             const struct record *record);

enum { VERDICT_FRAMES = 1000 }; /* frames that are listed; more are only counted */

/* The verdict of a batch. */
struct verdict {
    struct limits limits;
    struct verdict_frame {
        int64_t frame;
        struct judged judged;
        bool scored;
        double score;
        ssimcu_tile tile;
        ssimcu_tile_shift shift;
        uint32_t metrics; /* the record's, and their values */
        double metric[SSIMCU_METRICS];
        struct floor_excess floor;
        enum floor_rule floor_worst;             /* the rule that is furthest beyond its limit */
        const char *layout;                      /* the record's */
        char *part, *hints, *ref, *out, *reason; /* own; `reason`: the missing side or the error */
    } * frame;
    size_t listed, room;
    uint64_t count[FAULT_COUNT];      /* frames with each fault */
    uint64_t limited[FAULT_MISSING];  /* scored frames that have such a limit */
    uint64_t unjudged[FAULT_MISSING]; /* those of them that it could not be held against */
    uint64_t *matched;                /* own; frames that each rule of limits.file is for */
    uint64_t bad;                     /* frames beyond a limit of their own */
    struct verdict_extreme { /* the frame that is furthest beyond a limit, if its row names it */
        bool known;
        double excess; /* faults_excess */
        int64_t frame;
        char *part;                  /* own; NULL: none */
        char text[RECORD_TILE_TEXT]; /* its number and place */
    } extreme[FAULT_HINT];
    /* Frames that are furthest beyond their limits or nearest to them: 0 less their excess, which
     * is infinite if they could not be judged, and verdict_furthest. `most` is set after
     * verdict_start. */
    struct ranking furthest;
    struct hinted hinted; /* all frames with hints, bad or not */
    uint64_t clamped;     /* frames with more clamped pixels than RECORD_CLAMPED_MOST */
    double most_clamped;  /* the largest share, and its frame */
    int64_t clamped_frame;
    char *clamped_part; /* own; NULL: none */
    bool out_of_memory;
    /* results of verdict_finish */
    uint32_t low_mean; /* scores of the run below their limits, 1 << ssimcu_metric added up */
    bool too_many;     /* more than max_bad frames are bad, or a limit was held against no frame */
    bool unlimited;    /* a file has limits, but none for a frame that was scored */
    bool incomplete, nothing_scored;
    bool passed;
};

/* Returns whether there is any limit, for some frame at least. */
bool verdict_any_limit(const struct limits *limits);

/* Writes how a scored frame is beyond the limit of a fault below FAULT_HINT, which can be held
 * against it, and returns `text`: "score 0.890096434 under --min-frame 0.9" or
 * "score 0.890096434, was 1.000000000: over --max-drop 0.1" or "dark 9.12 of g at 32x32+64+128 over
 * max_excess 6.1 of sh030/..." */
enum { VERDICT_LIMIT = 512, VERDICT_BEYOND = RECORD_TILE_TEXT + TEXT_DIGITS + VERDICT_LIMIT };
const char *verdict_beyond(char text[VERDICT_BEYOND], const struct judged *judged, int fault,
                           const struct record *record);

/* Writes all that is wrong with a frame that has a fault, and its hints, and returns `text`.
 * `limit_of_hints`: a limit of hints is named, too. */
enum { VERDICT_WRONG = 1024 };
const char *verdict_wrong(char text[VERDICT_WRONG], const struct judged *judged,
                          const struct record *record, bool limit_of_hints);

void verdict_start(struct verdict *verdict, const struct limits *limits);

/* Judges a record, as verdict_judge does, and adds it, in the order of frames. Returns what it was
 * judged. If memory runs out, verdict_finish says so. */
struct judged verdict_add(struct verdict *verdict, const struct record *record,
                          const struct verdict_baseline *baseline);

/* Writes the limit of a fault below FAULT_MISSING and returns `text`: "--min-tile 0.9", or
 * "min_tile 0.62 of sh030/..." if it is of a rule, and of floors "max_excess of sh030/...".
 * verdict_limit_name says it of all frames:
 * "--min-tile 0.9" or "min_tile of limits.json". */
const char *verdict_limit_text(char text[VERDICT_LIMIT], const struct limits *limits, int fault);
const char *verdict_limit_name(char text[VERDICT_LIMIT], const struct limits *limits, int fault);

/* Writes how the run's score of a metric is below its limit: "0.890096434 under --min-score 0.9" or
 * "psnr 37.100000000 under --min-score psnr=38". Returns `text`. */
const char *verdict_mean_text(char text[VERDICT_LIMIT], const struct verdict *verdict,
                              const struct summary *summary, ssimcu_metric metric);

/* Writes the limit of a run's score: "--min-score 0.9" or "--min-score psnr=38". */
const char *verdict_score_text(char text[VERDICT_LIMIT], const struct limits *limits,
                               ssimcu_metric metric);

/* Returns whether a fault is a reason for the verdict. */
bool verdict_counts(const struct verdict *verdict, int fault);

/* Judges the batch. Returns false if memory ran out, now or earlier. */
bool verdict_finish(struct verdict *verdict, const struct summary *summary);

void verdict_free(struct verdict *verdict);

#endif
