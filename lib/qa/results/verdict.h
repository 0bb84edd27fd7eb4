/* The verdict: whether a run kept to its limits, and which frames did not. */
#ifndef SSIMCU_QA_VERDICT_H
#define SSIMCU_QA_VERDICT_H

#include "results/hinted.h"
#include "results/summary.h"
#include "results/text.h"

#include <math.h>

/* The limits that scores must keep to. */
struct limits {
    double min_score;     /* lowest mean; -INFINITY: no limit, also for the next two */
    double min_frame;     /* lowest score of a frame */
    double min_tile;      /* lowest score of a frame's worst tile */
    double max_drop;      /* largest drop of a frame below its earlier score; INFINITY: no limit */
    double max_tile_drop; /* the same of its worst tile */
    double max_shift;     /* largest shift of a tile, up or down, in levels; INFINITY: no limit */
    const char *hints;    /* kinds of hints that no frame may have: "stuck,frame"; NULL: no limit */
    uint64_t max_bad;     /* number of frames that may be beyond the last six */
    bool allow_missing;
};
#define LIMITS_NONE                                                                                \
    {                                                                                              \
        -INFINITY, -INFINITY, -INFINITY, INFINITY, INFINITY, INFINITY, NULL, 0, false              \
    }

/* The faults that a frame can have. */
enum fault {
    FAULT_FRAME,
    FAULT_TILE,
    FAULT_DROP,
    FAULT_TILE_DROP,
    FAULT_SHIFT,
    FAULT_HINT,
    FAULT_MISSING,
    FAULT_FAILED,
    FAULT_COUNT
};
extern const char *const verdict_fault_names[FAULT_COUNT]; /* "min_frame": an option, or a status */
extern const char *const verdict_options[FAULT_MISSING];   /* "--min-frame" */

/* Words for a scored frame that a limit could not be held against; NULL: it always can. */
extern const char *const verdict_unjudged[FAULT_MISSING];

/* What an earlier run said of a frame. */
struct verdict_baseline {
    double score, tile; /* the score, and that of the worst tile */
    bool tiled;         /* there was a tile */
};

enum { VERDICT_FRAMES = 1000 }; /* frames that are listed; more are only counted */

/* The verdict of a batch. */
struct verdict {
    struct limits limits;
    struct verdict_frame {
        int64_t frame;
        unsigned faults; /* 1 << enum fault */
        bool scored, has_baseline;
        double score;
        struct verdict_baseline baseline;
        struct record_tile tile;
        struct record_shift shift;
        const char *layout;                      /* the record's */
        char *part, *hints, *ref, *out, *reason; /* own; `reason`: the missing side or the error */
    } * frame;
    size_t listed, room;
    uint64_t count[FAULT_COUNT];      /* frames with each fault */
    uint64_t unjudged[FAULT_MISSING]; /* those of them that the limit could not be held against */
    uint64_t bad;                     /* frames beyond a limit of their own */
    /* Frames with the lowest tile under min_tile, and with the largest shift over max_shift; of
     * their texts only the part is there. */
    struct verdict_frame lowest, shifted;
    struct hinted hinted; /* all frames with hints, bad or not */
    uint64_t clamped;     /* frames with more clamped pixels than RECORD_CLAMPED_MOST */
    double most_clamped;  /* the largest share, and its frame */
    int64_t clamped_frame;
    char *clamped_part; /* own; NULL: none */
    bool out_of_memory;
    /* results of verdict_finish */
    bool low_mean; /* the mean is below its limit */
    bool too_many; /* more than max_bad frames are bad, or a limit was held against no frame */
    bool incomplete, nothing_scored;
    bool passed;
};

/* Returns whether there is any limit. */
bool verdict_any_limit(const struct limits *limits);

/* Returns whether the limit of a fault can be held against a scored frame: it has a tile, a shift
 * or an earlier score, if the limit is for such. `baseline` NULL: none. */
bool verdict_can_judge(enum fault fault, const struct record *record,
                       const struct verdict_baseline *baseline);

/* Returns whether a fault is a drop below the baseline. */
bool verdict_is_drop(enum fault fault);

/* Returns "over" if the limit of a fault is the most, and "under" if it is the least. */
const char *verdict_side(enum fault fault);

/* Writes how a scored frame is beyond the limit of a fault below FAULT_HINT, which can be held
 * against it, and returns `text`: "score 0.890096434 under --min-frame 0.9" or
 * "score 0.890096434, was 1.000000000: over --max-drop 0.1". */
enum { VERDICT_BEYOND = RECORD_TILE_TEXT + 2 * TEXT_DIGITS + 64 };
const char *verdict_beyond(char text[VERDICT_BEYOND], const struct limits *limits, enum fault fault,
                           const struct record *record, const struct verdict_baseline *baseline);

/* Returns a frame's faults, 1 << enum fault each. `baseline`: its earlier score; NULL: none. A
 * scored frame that a limit cannot be held against, because it has no tile or no earlier score, is
 * beyond that limit. */
unsigned verdict_faults(const struct limits *limits, const struct record *record,
                        const struct verdict_baseline *baseline);

void verdict_start(struct verdict *verdict, const struct limits *limits);

/* Adds a record, in the order of frames. `baseline`: the frame's earlier score; NULL: none. If
 * memory runs out, verdict_finish says so. */
void verdict_add(struct verdict *verdict, const struct record *record,
                 const struct verdict_baseline *baseline);

/* Returns the limit of a fault below FAULT_HINT. */
double verdict_limit(const struct verdict *verdict, enum fault fault);

/* Judges the batch. Returns false if memory ran out, now or earlier. */
bool verdict_finish(struct verdict *verdict, const struct summary *summary);

void verdict_free(struct verdict *verdict);

/* Returns the last line of JSON Lines, the caller's to free; NULL if memory runs out. `verdict`:
 * NULL for a share, which has none. */
char *summary_to_json(const struct summary *summary, const struct verdict *verdict);

/* Returns the verdict as a JSON object; NULL if memory runs out. */
struct json_t *verdict_to_json(const struct verdict *verdict, const struct summary *summary);

#endif
