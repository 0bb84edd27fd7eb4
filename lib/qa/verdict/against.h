/* Compares a record with its limits (the rows of record/finding.h). */
#pragma once

#include "record/finding.h"
#include "record/metrics.h"
#include "record/record_types.h"

struct limits;

/* Returns "over" or "under". */
const char *limit_side(int fault);

/* Lists the numeric limits of a rule in a file, separated by commas: their names, or the options.
 * Returns `text`. */
enum { LIMIT_LIST = 192 };
const char *limit_list(char text[LIMIT_LIST], bool options);

/* The score of a frame in an earlier run. */
struct verdict_baseline {
    double score, tile; /* the score, and the score of the worst tile */
    bool tiled;         /* `tile` is valid */
};

/* Returns whether the limit of a finding below FINDING_FAIL_ON can judge a scored frame. The frame
 * must have the tile, level shift, earlier score or learned limits that the limit needs. `baseline`
 * may be NULL.
 */
bool limit_can_judge(int fault, const struct limits *limits, const struct record *record,
                     const struct verdict_baseline *baseline);

/* Returns whether a scored frame is beyond such a limit, which must be able to judge it. */
bool limit_is_beyond(int fault, const struct limits *limits, const struct record *record,
                     const struct verdict_baseline *baseline);

/* Returns the number that such a limit judges. */
double limit_value(int fault, const struct limits *limits, const struct record *record,
                   const struct verdict_baseline *baseline);

/* Returns the share of the limit that the frame uses up, for any kind of limit: 1 is at the limit,
 * and more is beyond it. If the limit allows nothing, the result is 1 or more. */
double limit_excess(int fault, const struct limits *limits, const struct record *record,
                    const struct verdict_baseline *baseline);

/* Finds the tile of the number; for learned limits, the tile that is furthest beyond. Returns false
 * if there is none. */
bool limit_place(int fault, const struct limits *limits, const struct record *record,
                 ssimcu_tile *place);

/* Writes the number and its place: "0.890096434 at 32x32+64+128". */
const char *limit_text(char text[RECORD_TILE_TEXT], int fault, const struct limits *limits,
                       const struct record *record);

/* Returns the number of the baseline, from which the frame dropped. */
double limit_before(int fault, const struct verdict_baseline *baseline);
