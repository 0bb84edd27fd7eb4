/* What a calibration learns of frames that come in any order: the learned limits of each frame, and
 * the limits of each shot. */
#pragma once

#include "calibrate/fault_injection.h"
#include "learned/learned_file.h"
#include "learned/training_checks.h"

enum {
    LEARN_VERIFIED = 8 /* runs from which on the rate of false alarms was measured */,
    LEARN_FRAMES = 8 /* frames of a shot, if there are too few runs of each */
};

/* The limits of a shot. */
struct learnt_shot {
    char *shot; /* own; NULL: frames without a shot */
    uint64_t frames, samples;
    double limit[LEARNED_RULES];
    double
        highest[LEARNED_RULES]; /* how far the furthest accepted tile is over its learned limits */
    double ref_most;            /* z that most tiles of REF do not exceed, in any frame */
    struct tail *tails;         /* own; of each rule; NULL: nobody draws them */
};

struct learner {
    uint32_t runs, usable;  /* all, and those that can be compared */
    const char *const *run; /* their paths */
    double rate;            /* wanted share of accepted frames beyond a limit */
    uint32_t layers;        /* of a frame, which share the rate; 0: one */
    uint32_t x, y;          /* place of the scored region */
    struct hooks *hooks;
    bool keeps;  /* tails and notes, for a page */
    char **note; /* own; what a person was told about runs and frames that are passed over */
    size_t notes, note_room;
    bool lost_note; /* memory ran out for one */
    struct learned_writer *writer;
    struct training_checks checks; /* whether the runs are samples of noise at all */
    struct learnt_shot *shot;      /* own; the last one is being learnt */
    size_t shots, shot_room;
    uint64_t frames, left_out; /* frames learnt; pairs that were named, not learnt */
    pthread_mutex_t lock;      /* guards `waiting` */
    struct waiting {           /* a frame that lacks runs */
        char *shot;
        int64_t frame;
        const char *layout;
        bool referred; /* `reference` is known */
        int unread;    /* errno for which it is not; 0: it is no file, or there is none */
        struct learned_reference reference;
        struct learn_sample *sample; /* each run's; no values.value[0]: none */
        struct injection injection;
    } * waiting;
    size_t count, room;
    struct progress {
        char *shot;
        int64_t frame;
        bool any, ended;
        uint64_t missing;
    } * progress;                     /* the last record of each run */
    struct tail tails[LEARNED_RULES]; /* the shot's */
    struct injection injection;       /* the shot's */
    struct injection_found *found;    /* own; of each layer, or one of all frames */
    size_t founds, found_room;
    bool by_layer;                /* a shot's last word is a layer */
    struct learn_sample *sample;  /* of the shot, if its frames are learnt together */
    size_t samples, seen, stride; /* every `stride`th of those seen is kept */
};

/* Begins for so many runs. Call learner_free also after an error. Errors: MEMORY. */
ssimcu_status learner_begin(struct learner *learner, uint32_t runs, ssimcu_message *message);

/* Says that a run has no frames. */
void learner_skip(struct learner *learner, uint32_t run);

/* Moves trials of the record's frame and run to the learner. Many threads may call it. Errors:
 * MEMORY. */
ssimcu_status learner_try(struct learner *learner, const struct record *record,
                          struct injection *injection, ssimcu_message *message);

/* Takes the values of a record out of it, and notes that its run has come so far. Learns the frames
 * that no run can add to. Errors: those of learned_writer_add; MEMORY. */
ssimcu_status learner_take(struct learner *learner, const struct record *record,
                           ssimcu_message *message);

/* Learns what is left. Errors: as learner_take; DATA (nothing could be learnt, or a run is REF or
 * another run). */
ssimcu_status learner_end(struct learner *learner, ssimcu_message *message);

void learner_free(struct learner *learner);

/* Tells a person about a run or frame that is passed over: it is logged, and kept for the page. */
SSIMCU_PRINTF(2, 3) void learner_note(struct learner *learner, const char *format, ...);

/* ---- The learner's own ----------------------------------------------------------------------- */

/* Learns a frame, whose values it may take. */
ssimcu_status learner_frame(struct learner *learner, struct waiting *frame,
                            ssimcu_message *message);

/* Ends the shot that is being learnt, if there is one. */
ssimcu_status learner_end_shot(struct learner *learner, ssimcu_message *message);
