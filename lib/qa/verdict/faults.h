/* The faults that a frame can have: what each is called wherever it is named, and how a record is
 * held against its limit. All of it stands in one table, faults.c. */
#ifndef SSIMCU_QA_FAULTS_H
#define SSIMCU_QA_FAULTS_H

#include "facts/metrics.h"
#include "facts/record_parts.h"

#include "ssimcu_qa.h"

#include <stddef.h>

/* Those below FAULT_MISSING are limits, those below FAULT_HINT are held against numbers, those
 * below FAULT_FLOOR are one number each, and those below FAULT_METRIC are of ssimcu_limit. What
 * takes a fault takes either. */
enum fault {
    FAULT_METRIC = SSIMCU_LIMITS, /* SSIMCU_LIMIT_MIN_FRAME of each metric beside SSIM */
    FAULT_FLOOR = FAULT_METRIC + SSIMCU_METRICS - 1,
    FAULT_HINT,
    FAULT_MISSING,
    FAULT_FAILED,
    FAULT_COUNT
};
#define FAULT_OF_METRIC(metric) ((int)FAULT_METRIC + (int)(metric) - (int)SSIMCU_METRIC_PSNR)

/* The place of the number that a limit is held against. */
enum fault_of { FAULT_OF_FRAME, FAULT_OF_TILE, FAULT_OF_SHIFT, FAULT_OF_PIXELS, FAULT_OF_FLOOR };

struct limits;

struct fault_row {
    const char *name;     /* "min_frame": a member of JSON, or a status */
    const char *option;   /* "--min-frame"; NULL: it is no limit */
    const char *in_file;  /* the limit's name in a file of limits: "min_frame psnr" */
    ssimcu_metric metric; /* the metric whose frames it concerns */
    enum fault_of of;
    bool over;            /* the limit is the most, not the least */
    bool drop;            /* the number is a drop below the baseline */
    double most;          /* what the limit may be, from 0; with `expected` alone */
    const char *expected; /* the same in words; NULL: a score, as the metric has them */
    /* Words. */
    const char *noun;     /* "tile": of a number in a line of text */
    const char *title;    /* "worst tile": the same on the page */
    const char *extreme;  /* "lowest": the frame that is furthest beyond; NULL: it is not named */
    const char *unjudged; /* a scored frame that the limit could not be held against */
    const char *frames;   /* "score below", after a number of frames and before the limit */
    const char *pair;     /* "The score is below", before the limit */
};

const struct fault_row *faults_row(int fault);

/* Returns "over" or "under". */
const char *faults_side(int fault);

/* Lists the limits that a rule of a file has as a number, with commas between: their names, or the
 * options. Returns `text`. */
enum { FAULTS_LIST = 192 };
const char *faults_list(char text[FAULTS_LIST], bool options);

/* What an earlier run said of a frame. */
struct verdict_baseline {
    double score, tile; /* the score, and that of the worst tile */
    bool tiled;         /* there was a tile */
};

/* Returns whether the limit of a fault below FAULT_HINT can be held against a scored frame: it has
 * a tile, a shift, an earlier score or floors, if the limit is for such. `baseline` NULL: none. */
bool faults_can_judge(int fault, const struct limits *limits, const struct record *record,
                      const struct verdict_baseline *baseline);

/* Returns whether a scored frame is beyond such a limit, which can be held against it. */
bool faults_is_beyond(int fault, const struct limits *limits, const struct record *record,
                      const struct verdict_baseline *baseline);

/* Returns how much of what the limit allows such a frame uses up: 1 is at the limit, and more is
 * beyond it, whatever the limit is of. What lets nothing pass counts from 1 on. */
double faults_excess(int fault, const struct limits *limits, const struct record *record,
                     const struct verdict_baseline *baseline);

/* Finds the tile that the number is of; of floors, the one that is furthest beyond. Returns false
 * if there is none. */
bool faults_place(int fault, const struct limits *limits, const struct record *record,
                  ssimcu_tile *place);

/* Writes the number and its place: "0.890096434 at 32x32+64+128". */
const char *faults_text(char text[RECORD_TILE_TEXT], int fault, const struct limits *limits,
                        const struct record *record);

/* Returns the baseline's number, from which the frame has dropped. */
double faults_before(int fault, const struct verdict_baseline *baseline);

#endif
