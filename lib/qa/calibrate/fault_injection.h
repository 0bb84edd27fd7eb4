/* Trials: what the limits of a calibration see. Some accepted frames are damaged by known amounts
 * while their pixels are there. Only the tiles around the damage are scored again. They are judged
 * as soon as the learned limits of the frame and the limits of its shot are known. */
#pragma once

#include "calibrate/fault_models.h"
#include "delivery/hooks.h"
#include "learned/values.h"

struct pair;

enum { INJECTION_SIZES = 5 };

/* Writes the head of the column of a size, and returns `text`: "8 x 8", or "frame". */
enum { INJECTION_HEAD = 32 };
const char *injection_head(char text[INJECTION_HEAD], int size);

struct trial {
    uint32_t run;
    enum fault_model kind;
    int size;
    uint32_t column, row, columns, rows; /* tiles of the frame that the damage touches */
    uint32_t left, top;                  /* the same in `values`, whose tiles begin earlier */
    struct learned_values values;        /* of the shot that was scored; none once it is judged */
    double z[LEARNED_RULES];
};

struct injection {
    struct trial *trial; /* own */
    size_t count, room;
};

/* What came of all trials. */
struct injection_found {
    char *layer; /* own; of this layer; NULL: of all */
    uint64_t tried[FAULT_MODELS][INJECTION_SIZES], found[FAULT_MODELS][INJECTION_SIZES];
};

/* Returns whether the pair is one of those that are damaged: about 24 of `pairs`. With layers that
 * is too few of each, and the caller gives a part of them. */
bool injection_choose(const struct record *record, int64_t pairs);

/* Damages a pair in every way that is possible, once in each size, where no tile is ignored, and
 * the whole of it in one way. The ways take turns, because that costs a score of the frame.
 * `values`: of its tiles. Errors: as ssimcu_compare_views; MEMORY. */
ssimcu_status injection_make(ssimcu_context *lane, const struct pair *pair,
                             const struct learned_values *values, struct injection *injection,
                             ssimcu_message *message);

/* Moves all trials behind others. Returns false if memory runs out. */
bool injection_move(struct injection *to, struct injection *from);

/* Judges trials by the learned limits of their frame. */
void injection_judge(struct injection *injection, const struct learned_frame *learned);

/* Counts which of the judged ones are beyond a limit, and empties the list. */
void injection_count(struct injection *injection, const double limit[LEARNED_RULES],
                     struct injection_found *found);

/* Says what was found, in lines. Errors: those of the callback. */
ssimcu_status injection_tell(const struct injection_found *found, struct hooks *hooks,
                             ssimcu_message *message);

void injection_free(struct injection *injection);
