/* The verdict: whether a run kept to its limits, and which frames did not. */
#ifndef SSIMCU_QA_VERDICT_H
#define SSIMCU_QA_VERDICT_H

#include "results/summary.h"

#include <math.h>

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

/* Returns the verdict as a JSON object; NULL if memory runs out. */
struct json_t *verdict_to_json(const struct verdict *verdict, const struct summary *summary);

#endif
