/* The limits that frames are held against: those of the options, and those that a file names for
 * shots and frames. */
#ifndef SSIMCU_QA_LIMITS_H
#define SSIMCU_QA_LIMITS_H

#include "facts/compare.h"
#include "floors/floors_file.h"
#include "floors/ignored.h"
#include "metric_table.h"
#include "verdict/faults.h"

/* Nothing but zeros: no limit. */
struct limits {
    unsigned has;                     /* 1 << enum fault: the limits of `number` that there are */
    double number[FAULT_FLOOR];       /* by enum fault; limits_number */
    unsigned has_score;               /* 1 << ssimcu_metric, likewise of `min_score` */
    double min_score[SSIMCU_METRICS]; /* lowest score of a run; limits_score */
    const double *max_excess; /* of each rule of floors, how far it may be beyond its floor; 0:
                                 the rule does not count, and if none does, no frame can be
                                 judged; NULL: no limit */
    const char *hints; /* kinds of hints that no frame may have: "stuck,frame"; NULL: no limit */
    uint64_t max_bad;  /* number of frames that may be beyond the last six */
    bool allow_missing;
    bool allow_stale; /* floors judge a frame whose reference is another one than theirs */
    /* More limits for some frames; the options above win. NULL: none. It outlives the limits. */
    const struct limits_file *file;
    const char *rule[FAULT_MISSING]; /* name of the file's rule that each limit of a frame is of;
                                        NULL: an option */
};
/* Returns the fault of a frame below the limit of a metric. */
int limits_fault(ssimcu_metric metric);

/* Return and set the limit of a fault below FAULT_FLOOR, and that of a metric's score of a run.
 * NaN: there is none. */
double limits_number(const struct limits *limits, int fault);
void limits_set(struct limits *limits, int fault, double number);
double limits_score(const struct limits *limits, ssimcu_metric metric);
void limits_set_score(struct limits *limits, ssimcu_metric metric, double number);

/* Return whether such a limit may be a number, and which may: "a number from 0 to 255". NaN may
 * not.
 */
bool limits_allow(int fault, double number);
const char *limits_expected(int fault);

/* Returns whether there is a limit of a fault below FAULT_MISSING, as an option or for a frame. */
bool limits_has(const struct limits *limits, int fault);

/* Returns the limits that hold for a record, without a file. Adds 1 to matched[i] if rule i of the
 * file is for the record; NULL: nothing is counted. */
struct limits limits_for(const struct limits *limits, const struct record *record,
                         uint64_t *matched);

/* A rule of a file: some limits for some frames. */
struct limits_rule {
    char *name;               /* own; what it matches, as it was written */
    char *match;              /* own; a glob over frames' names and OUT's paths; NULL: all */
    struct ssimcu_ranges *in; /* own; frames; NULL: all */
    struct limits limits;     /* `hints` is own */
    bool names_missing;       /* it says whether its frames may be missing */
    struct ignored_parts ignore, mask; /* own; parts of its frames that are ignored */
    char *mask_path;                   /* own; NULL: it has no mask */
    struct compare_rule compare;
};

/* How far the frames of a shot may be beyond their floors. */
struct limits_shot {
    char *match; /* own; a glob over frames' names */
    double max_excess[FLOOR_RULES];
};

struct limits_file {
    char *path; /* own */
    struct limits_rule *rule;
    size_t rules;
    bool layers;                 /* the frames that it is for are of layers (record_is_of) */
    char ignored[FLOORS_PRINT];  /* fingerprint of all that is ignored; "": nothing is */
    char compared[FLOORS_PRINT]; /* fingerprint of how layers are compared; "": by name */
    struct limits_floors {
        char *path;               /* own; the file with the floors of all tiles; NULL: none */
        char print[FLOORS_PRINT]; /* its fingerprint; "": no floors */
        uint32_t tile;            /* side in pixels */
        struct limits_shot *shot;
        size_t shots;             /* the last that is for a frame counts */
        struct json_t *contract;  /* own; which scores they were learnt of; NULL: no floors */
        struct limits_look *look; /* own; of each further reference (--or), in that order */
        size_t looks;
    } floors;
};

/* Another accepted look, whose floors its own file of limits names. Its noise is its own, and so is
 * what is normal there. */
struct limits_look {
    char *path;                  /* own; its file of limits */
    struct limits_floors floors; /* of that file, once they are read; without looks */
};

/* Returns how far a record's frame may be beyond these floors, rule by rule; NULL: nothing says. */
const double *limits_excess(const struct limits_floors *floors, const struct record *record);

/* Returns the next parts that are ignored in a record's frame: those of all rules that are for it.
 * *at starts with 0. NULL: there are no more. Many threads may call it. This and the next function
 * are callbacks, whose user is the struct limits_file. */
const struct ignored_parts *limits_next_ignored(void *file, const struct record *record,
                                                size_t *at);

/* Returns what the last rule that is for a record, and says how, says of how its samples are
 * compared; NULL: none does. Many threads may call it. */
const struct compare_rule *limits_compare(void *file, const struct record *record);

/* Returns the rules' limits, 1 << enum fault: those that any rule names. */
unsigned limits_file_has(const struct limits_file *file);

#endif
