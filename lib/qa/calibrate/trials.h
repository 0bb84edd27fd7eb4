/* Trials: what the limits of a calibration see. Some accepted frames are damaged by known amounts
 * while their pixels are there. Only the tiles around the damage are scored again. They are judged
 * as soon as the floors of the frame and the limits of its shot are known. */
#ifndef SSIMCU_QA_CALIBRATE_TRIALS_H
#define SSIMCU_QA_CALIBRATE_TRIALS_H

#include "calibrate/damage.h"
#include "delivery/hooks.h"
#include "floors/values.h"

struct pair;

enum { TRIAL_SIZES = 5 };
extern const uint32_t trial_sizes[TRIAL_SIZES]; /* sides of the squares, in pixels; 0: the frame */

/* Writes the head of the column of a size, and returns `text`: "8 x 8", or "frame". */
enum { TRIAL_HEAD = 32 };
const char *trials_head(char text[TRIAL_HEAD], int size);

struct trial {
    uint32_t run;
    enum damage kind;
    int size;
    uint32_t column, row, columns, rows; /* tiles of the frame that the damage touches */
    uint32_t left, top;                  /* the same in `values`, whose tiles begin earlier */
    struct floor_values values;          /* of the part that was scored; none once it is judged */
    double z[FLOOR_RULES];
};

struct trials {
    struct trial *trial; /* own */
    size_t count, room;
};

/* What came of all trials. */
struct trials_found {
    char *layer; /* own; of this layer; NULL: of all */
    uint64_t tried[DAMAGES][TRIAL_SIZES], found[DAMAGES][TRIAL_SIZES];
};

/* Returns whether the pair is one of those that are damaged: about 24 of `pairs`. With layers that
 * is too few of each, and the caller gives a part of them. */
bool trials_choose(const struct record *record, int64_t pairs);

/* Damages a pair in every way that is possible, once in each size, where no tile is ignored, and
 * the whole of it in one way. The ways take turns, because that costs a score of the frame.
 * `values`: of its tiles. Errors: as ssimcu_compare_views; MEMORY. */
ssimcu_status trials_make(ssimcu_context *lane, const struct pair *pair,
                          const struct floor_values *values, struct trials *trials,
                          ssimcu_message *message);

/* Moves all trials behind others. Returns false if memory runs out. */
bool trials_move(struct trials *to, struct trials *from);

/* Judges trials by the floors of their frame. */
void trials_judge(struct trials *trials, const struct floor_frame *floor);

/* Counts which of the judged ones are beyond a limit, and empties the list. */
void trials_count(struct trials *trials, const double limit[FLOOR_RULES],
                  struct trials_found *found);

/* Says what was found, in lines. Errors: those of the callback. */
ssimcu_status trials_tell(const struct trials_found *found, struct hooks *hooks,
                          ssimcu_message *message);

void trials_free(struct trials *trials);

#endif
