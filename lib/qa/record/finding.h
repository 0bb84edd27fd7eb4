/* A finding is one reason why a frame is not clean. Limits, detectors, hints, and missing or failed
 * frames all make findings, and every output shows them in the same way. One table has all kinds:
 * the limits are in finding.c, the others in findings.def. */
#pragma once

#include "fail.h"
#include "ssimcu_qa.h"

#include <stdbool.h>
#include <stddef.h>

/* Kinds below FINDING_MISSING are limits. The last limit is --fail-on: it has an option and rules
 * like others, but it makes findings of other kinds fail. Kinds below FINDING_FAIL_ON are compared
 * with numbers. Kinds below FINDING_LEARNED have one number each. Kinds below FINDING_METRIC are
 * those of ssimcu_limit. */
enum finding_kind {
    FINDING_METRIC = SSIMCU_LIMITS, /* SSIMCU_LIMIT_MIN_FRAME of each metric other than SSIM */
    FINDING_LEARNED = FINDING_METRIC + SSIMCU_METRICS - 1,
    FINDING_FAIL_ON,
#define FINDING(id, ...) FINDING_##id,
#include "record/findings.def"
    FINDING_KINDS
};
#define FINDING_OF_METRIC(metric) ((int)FINDING_METRIC + (int)(metric) - (int)SSIMCU_METRIC_PSNR)

/* Kinds as bits: the sum of 1 << enum finding_kind. */
typedef uint64_t finding_mask;
_Static_assert((int)FINDING_KINDS <= 64, "each kind has a bit");

static inline finding_mask finding_bit(int kind) { return (finding_mask)1 << kind; }

/* The source of the number that is compared with a limit. */
enum finding_of {
    FINDING_OF_FRAME,
    FINDING_OF_TILE,
    FINDING_OF_LEVEL_SHIFT,
    FINDING_OF_PIXELS,
    FINDING_OF_LEARNED
};

/* The makers of findings other than limits. A kind may have several. */
enum {
    FINDING_BY_PAIR = 1,    /* the analysis of REF and OUT: a hint */
    FINDING_BY_FRAMES = 2,  /* with the neighbours of a pair: a hint */
    FINDING_BY_LEARNED = 4, /* learned limits of a calibration: a hint */
    FINDING_BY_CHECK = 8,   /* the check of frames without a reference */
    FINDING_OF_PAIRS = FINDING_BY_PAIR | FINDING_BY_FRAMES | FINDING_BY_LEARNED
};

struct record;
struct findings;

struct finding_row {
    const char *name; /* "min_frame", "nan": in JSON, in limits files and in --fail-on */
    /* Only for kinds that are not limits. */
    const char *meaning; /* "OUT is black": a clause for users */
    unsigned by;         /* enum finding_by, added up */
    bool fails;  /* makes a frame without a reference fail, unless --fail-on says otherwise */
    bool first;  /* the place is that of the first of so many samples as the value */
    bool broken; /* the frame is missing or cannot be read: an error, not a failure */
    /* Called for each complete record. NULL: another module adds such findings. */
    void (*detect)(const struct record *record, struct findings *findings);
    /* Only for limits. */
    const char *option;   /* "--min-frame" */
    const char *in_file;  /* the limit's name in a limits file: "min_frame psnr" */
    ssimcu_metric metric; /* the metric that it limits */
    enum finding_of of;
    double (*number)(const struct record *record); /* NULL: the score of that metric */
    bool counts;                                   /* the number is a count of pixels */
    bool over;                                     /* the limit is a maximum, not a minimum */
    bool drop;                                     /* the number is a drop below the baseline */
    double most;          /* largest value of the limit, from 0; only with `expected` */
    const char *expected; /* the same in words; NULL: any score of the metric */
    const char *noun;     /* "tile": names the number in a line of text */
    const char *title;    /* "worst tile": the same in the report */
    const char *extreme;  /* "lowest": names the frame that is furthest beyond; NULL: not named */
    const char *unjudged; /* a scored frame that the limit could not judge */
    const char *frames;   /* "score below", between the number of frames and the limit */
    const char *pair;     /* "The score is below", before the limit */
};

const struct finding_row *finding_row(int kind);

/* Finds the kind of a name of `length` bytes, except limits. Returns FINDING_KINDS if there is
 * none. */
int finding_named(const char *name, size_t length);

/* Returns the kinds that `by` makes, and those of them by which a frame fails by default. */
finding_mask findings_by(unsigned by);
finding_mask findings_default(unsigned by);

/* Returns the kinds whose rows have a detector, and adds the findings of these detectors. */
finding_mask findings_detected(void);
void findings_detect(struct record *record);

/* Reads a comma-separated list of the kinds that `by` makes: "nan,flat-area", "all" or "none".
 * `option` names the list in the message, such as "--fail-on". Errors: ARGUMENT. */
ssimcu_status findings_read(const char *list, unsigned by, const char *option, finding_mask *kinds,
                            ssimcu_message *message);

/* Writes the names of kinds, separated by `between`, and returns `text`. */
enum { FINDING_NAMES = 640 };
const char *findings_names(char text[FINDING_NAMES], finding_mask kinds, const char *between);

struct finding_place {
    uint32_t x, y, width, height; /* pixels; width 0: the whole frame */
};

enum { FINDING_TEXT = 640 };

struct finding {
    enum finding_kind kind;
    bool fails;          /* by the limits and --fail-on of this run; never in a share */
    double value, limit; /* the kind's count or measure, and its limit; NAN: none */
    struct finding_place place;
    char text[FINDING_TEXT]; /* a sentence for users, on one line */
};

/* Returns the number of frames that a finding of missing ones stands for. A number from another
 * program's results that no shot can lack counts as one. */
uint64_t finding_lacks(const struct finding *finding);

/* Writes what a gap lacks, and returns `text`: "frame 5 is missing", or "3 frames are missing, 5 to
 * 7". Results have nothing else that tells where a gap ends. */
const char *finding_gap(char text[FINDING_TEXT], int64_t first, int64_t last, uint64_t count);

/* Returns the last frame of a finding of missing ones, of which `first` is the first. */
int64_t finding_gap_last(const struct finding *finding, int64_t first);

/* The findings of a frame, in the order in which they were added. All zeros: an empty list. */
struct findings {
    struct finding *at; /* owned */
    size_t count, room;
    bool out_of_memory;
};

/* Adds a finding that does not fail yet, and returns it so that the caller can set a limit. If
 * memory runs out, returns NULL, and the list records it. */
SSIMCU_PRINTF(5, 6)
struct finding *findings_add(struct findings *list, enum finding_kind kind,
                             struct finding_place place, double value, const char *format, ...);

/* Return the kinds in the list, and those that fail. */
finding_mask findings_kinds(const struct findings *list);
finding_mask findings_failing(const struct findings *list);

/* Removes all findings of other kinds. */
void findings_keep(struct findings *list, finding_mask kinds);

/* Makes a copy. Returns false if memory runs out; then the caller need not free it. */
bool findings_copy(struct findings *copy, const struct findings *list);

void findings_free(struct findings *list);

/* Writes the text of a finding and returns `text`. Adds its kind and its area if the text lacks
 * them: "nan: 3 samples are NaN or infinite, first at 1x1+5+6", "shift +1 +0". */
enum { FINDING_LINE = FINDING_TEXT + 120 };
const char *finding_line(char text[FINDING_LINE], const struct finding *finding);

/* Writes such texts of these kinds, separated by "; ", as far as they fit. Those that fail come
 * first. */
const char *findings_line(char *text, size_t size, const struct findings *list, finding_mask kinds);
