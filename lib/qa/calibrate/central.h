/* Which of several runs becomes REF if there is none: that which is most like all others. */
#ifndef SSIMCU_QA_CALIBRATE_CENTRAL_H
#define SSIMCU_QA_CALIBRATE_CENTRAL_H

#include "calibrate/frames.h"
#include "delivery/hooks.h"
#include "engine/batch.h"

struct central {
    /* Set these first. */
    struct source_input input;  /* what is read, beside its paths */
    struct batch_config config; /* how it is scored */
    const char *const *run;
    uint32_t runs;
    struct hooks *hooks; /* get each pair that is scored */
    /* What central_find finds. */
    uint32_t best;  /* the run */
    double score;   /* mean of its scores against all others */
    uint64_t pairs; /* of frames that were scored */
    bool hangs;     /* a thread that hangs may still use all of this */
    /* Its own. */
    struct some_frames frames;
    struct source *source;
    uint32_t ref;            /* run that the others are scored against now */
    struct central_sum *sum; /* own; of each run and each */
    ssimcu_status status;    /* of the hooks */
    ssimcu_message message;
};

/* Scores each run against each on some frames of every shot. Of several that are alike, the first
 * is taken. Call central_free also after an error, unless it hangs. Errors: those of
 * calibrate_source_open, except MISMATCH of some; those of batch_run; MISMATCH (no two runs can be
 * compared); that of a hook. */
ssimcu_status central_find(struct central *central, ssimcu_message *message);

void central_free(struct central *central);

#endif
