/* Reasons why accepted runs are not samples of noise: one is REF itself, two are identical, or REF
 * is far from all of them. */
#pragma once

#include "learned/learn.h"

/* The checks of the runs so far. Pictures are compared by the numbers of their tiles, because a
 * copy has another path. */
struct training_checks {
    uint32_t runs;
    struct checks_run {
        bool seen;  /* it has a frame */
        bool other; /* it differs from REF */
    } * run;        /* owned */
    /* Owned; run j and each run i before it, at j * runs + i. Without a frame of both they are not
     * identical. */
    enum checks_pair { CHECKS_UNKNOWN, CHECKS_SAME, CHECKS_OTHER } * pair;
};

/* Begins for `runs` runs. Call checks_free even after an error. Errors: MEMORY. */
ssimcu_status checks_begin(struct training_checks *checks, uint32_t runs, ssimcu_message *message);

/* Examines a frame, with a sample of each run. If values.value[0] is NULL, the run lacks the
 * frame. */
void checks_take(struct training_checks *checks, const struct learn_sample *sample);

/* Fails with DATA if a run equals REF or another run in all tiles of all frames. `run`: their
 * names. */
ssimcu_status checks_check(const struct training_checks *checks, const char *const *run,
                           ssimcu_message *message);

void checks_free(struct training_checks *checks);

/* How far REF is from all runs of a frame. */
struct checks_ref {
    double z;    /* how far the worst tile is from the runs, by the rule "level_shift" */
    double most; /* z that nine of ten tiles do not exceed */
    struct learned_place place;
};

/* Judges REF by the learned limits of its runs, as if it was one more run. `ignored`: tiles that do
 * not count; may be NULL. Returns false if memory runs out. */
bool checks_judge_ref(const struct learned_frame *learned, const unsigned char *ignored,
                      struct checks_ref *ref);
