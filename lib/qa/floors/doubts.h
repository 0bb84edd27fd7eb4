/* What makes accepted runs no samples of noise: a run is REF itself, two runs are the same one, or
 * REF is far from all of them. */
#ifndef SSIMCU_QA_FLOOR_DOUBTS_H
#define SSIMCU_QA_FLOOR_DOUBTS_H

#include "floors/learn.h"

/* What the runs have shown so far. Pictures are told by the numbers of their tiles, for a copy has
 * another path. */
struct doubts {
    uint32_t runs;
    struct doubts_run {
        bool seen;  /* it has a frame */
        bool other; /* than REF */
    } * run;        /* own */
    /* Own; of run j and each run i before it, at j * runs + i. Without a frame of both they are not
     * alike. */
    enum doubts_pair { DOUBTS_UNKNOWN, DOUBTS_SAME, DOUBTS_OTHER } * pair;
};

/* Begins for so many runs. Call doubts_free also after an error. Errors: MEMORY. */
ssimcu_status doubts_begin(struct doubts *doubts, uint32_t runs, ssimcu_message *message);

/* Looks at a frame, of which each run has a sample; no values.value[0]: it lacks the frame. */
void doubts_take(struct doubts *doubts, const struct learn_sample *sample);

/* Fails with DATA if a run is REF or another run in all tiles of all frames. `run`: their names. */
ssimcu_status doubts_check(const struct doubts *doubts, const char *const *run,
                           ssimcu_message *message);

void doubts_free(struct doubts *doubts);

/* It says where REF is far from all runs of a frame. */
struct doubts_ref {
    double z;    /* of the rule "shift": how far the tile that is furthest lies from the runs */
    double most; /* z that nine of ten tiles do not exceed */
    struct floor_place place;
};

/* Judges REF by the floors that its runs teach, as if it was one more run of them. `ignored`: tiles
 * that do not count; NULL: none. Returns false if memory runs out. */
bool doubts_judge_ref(const struct floor_frame *floor, const unsigned char *ignored,
                      struct doubts_ref *ref);

#endif
