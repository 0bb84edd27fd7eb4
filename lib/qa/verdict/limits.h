/* The limits of frames: those of the options, and those that a file sets for shots and frames. */
#pragma once

#include "learned/ignored.h"
#include "learned/learned_file.h"
#include "metric_table.h"
#include "record/compare.h"
#include "verdict/against.h"

/* All zeros: no limit. */
struct limits {
    unsigned has; /* sum of 1 << enum finding_kind: the limits that are set in `number` */
    double number[FINDING_LEARNED];   /* by enum finding_kind; limits_number */
    unsigned has_score;               /* sum of 1 << ssimcu_metric: the same for `min_score` */
    double min_score[SSIMCU_METRICS]; /* lowest score of a run; limits_score */
    /* For each learned rule, how far a frame may be over its learned limits. 0: the rule does not
     * count; if all are 0, no frame can be judged. NULL: no limit. */
    const double *max_excess;
    /* Kinds of findings by which a frame fails in addition to its limits (findings_read). Without
     * `has_fail_on`: the default kinds for a frame without a reference, none for a pair. */
    finding_mask fail_on;
    bool has_fail_on, alone; /* `alone`: the frames have no reference */
    uint64_t max_bad; /* number of frames that may be beyond these limits or those of the file */
    bool allow_missing;
    bool allow_stale; /* learned limits also judge a frame with another reference than theirs */
    /* More limits for some frames; the options above override them. It outlives the limits. May be
     * NULL. */
    const struct limits_file *file;
    const char *rule[FINDING_MISSING]; /* name of the rule that set each limit of a frame; NULL: an
                                          option */
};
/* Returns the kind of a frame below the limit of a metric. */
int limits_fault(ssimcu_metric metric);

/* Return and set the limit of a finding below FINDING_LEARNED, and the limit of a run's score. NaN:
 * none. */
double limits_number(const struct limits *limits, int fault);
void limits_set(struct limits *limits, int fault, double number);
double limits_score(const struct limits *limits, ssimcu_metric metric);
void limits_set_score(struct limits *limits, ssimcu_metric metric, double number);

/* Return whether a number is valid as such a limit, and the valid range: "a number from 0 to 255".
 * NaN is not valid.
 */
bool limits_allow(int fault, double number);
const char *limits_expected(int fault);

/* Returns whether a finding below FINDING_MISSING has a limit, as an option or for a frame. */
bool limits_has(const struct limits *limits, int fault);

/* Returns the limits of a record, without a file. Adds 1 to matched[i] if rule i of the file
 * matches the record. `matched` may be NULL. */
struct limits limits_for(const struct limits *limits, const struct record *record,
                         uint64_t *matched);

/* A rule of a limits file: limits for some frames. */
struct limits_rule {
    char *name;               /* owned; its `match` as written */
    char *match;              /* owned; a glob over frames' names and OUT's paths; NULL: all */
    struct ssimcu_ranges *in; /* owned; frames; NULL: all */
    struct limits limits;
    bool names_missing;                /* the rule sets whether its frames may be missing */
    struct ignored_areas ignore, mask; /* owned; ignored areas of its frames */
    char *mask_path;                   /* owned; NULL: no mask */
    struct compare_rule compare;
};

/* How far the frames of a shot may be over their learned limits. */
struct limits_shot {
    char *match; /* owned; a glob over frames' names */
    double max_excess[LEARNED_RULES];
};

struct limits_file {
    char *path; /* owned */
    struct limits_rule *rule;
    size_t rules;
    bool layers;                  /* the frames are layers (record_is_of) */
    char ignored[LEARNED_PRINT];  /* fingerprint of all ignored areas; "": none */
    char compared[LEARNED_PRINT]; /* fingerprint of how layers are compared; "": by their names */
    struct limits_learned {
        char *path; /* owned; the file with the learned limits of all tiles; may be NULL */
        char print[LEARNED_PRINT]; /* its fingerprint; "": no learned limits */
        uint32_t tile;             /* side in pixels */
        struct limits_shot *shot;
        size_t shots;            /* the last one that matches a frame counts */
        struct json_t *contract; /* owned; contract of the scores they were learned from; NULL: no
                                    learned limits */
        struct limits_variant *variant; /* owned; one for each variant (--or), in that order */
        size_t variants;
    } learned;
};

/* An accepted variant. Its noise differs, so its limits file names its learned limits. */
struct limits_variant {
    char *path;                    /* owned; its limits file */
    struct limits_learned learned; /* of that file, once read; without variants */
};

/* Returns how far a record's frame may be over these learned limits, rule by rule; NULL: no
 * limit. */
const double *limits_excess(const struct limits_learned *learned, const struct record *record);

/* Returns the next ignored areas of a record's frame: those of all rules that match it. *at starts
 * at 0. NULL ends the list. Many threads may call it. This and the next function are callbacks,
 * whose user is the struct limits_file. */
const struct ignored_areas *limits_next_ignored(void *file, const struct record *record,
                                                size_t *at);

/* Returns how to compare a record's samples, by the last rule that matches the record and sets it;
 * NULL: none. Many threads may call it. */
const struct compare_rule *limits_compare(void *file, const struct record *record);

/* Returns the limits that any rule sets, as the sum of 1 << enum finding_kind. */
unsigned limits_file_has(const struct limits_file *file);
