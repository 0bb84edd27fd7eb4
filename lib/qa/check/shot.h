/* A sequence of frames, one after the other, and what they are judged by: their own numbers, and
 * the frames beside them. */
#ifndef SSIMCU_QA_SHOT_H
#define SSIMCU_QA_SHOT_H

#include "check/findings.h"
#include "check/seen.h"

#include "facts/record.h"

/* A frame of a shot, which is kept until its end. */
struct shot_frame {
    int64_t number;
    char *path;               /* own; NULL: frames that are missing */
    struct record_side file;  /* what is known of the file; its path is the one above */
    uint32_t stream, streams; /* of video: which of how many streams it is of */
    bool read;                /* it was read, and the rest is known */
    uint32_t width, height, channels, bits;
    bool flat;
    enum seen_alpha alpha;
    /* How far it is from the frame before (1) and from the one before that (2): beside_distance;
     * and whether nothing has changed at all. NAN: unknown. */
    double step[2];
    bool same;
    bool alike;              /* of a frame behind flat ones: it is of the scene before them */
    double stranger;         /* beside_stranger */
    bool judged;             /* it lies between two that it could be held against */
    bool held;               /* both frames beside it repeat it */
    struct seen_pixel pixel; /* beside_pixel, and by how many levels */
    double beyond;
    struct findings_list found;
};

struct check_shot {
    char *name;    /* own; NULL: there is none yet */
    char *layer;   /* own; the layer of its EXRs that it is; NULL: none */
    bool numbered; /* it is a sequence of numbered files */
    struct shot_frame *frame;
    size_t count, room;
    struct seen *last[3]; /* own; the last frames that were read, the newest first */
    size_t last_at[3];    /* their places */
    struct seen *lit;     /* own; the last frame before a flat one, and how far it is from that */
    double lit_step;
    bool out_of_memory;
};

/* Adds a frame, of which `why` says why it could not be read; NULL: `seen`, which the shot takes.
 */
void check_shot_add(struct check_shot *shot, int64_t number, const char *path, const char *why,
                    struct seen *seen);

/* Judges all frames, once they are there. Frames that are missing are added. */
void check_shot_judge(struct check_shot *shot);

void check_shot_free(struct check_shot *shot);

/* ---- habits.c -------------------------------------------------------------------------------- */

/* Add what frames have that their shot does not have as a habit. */
void habits_pixels(struct check_shot *shot);
void habits_stuck(struct check_shot *shot);
void habits_swapped(struct check_shot *shot);
void habits_elsewhere(struct check_shot *shot);

/* ---- unlike.c -------------------------------------------------------------------------------- */

/* Add frames of another shape than most, without a picture or with other alpha, and gaps. */
void unlike_shapes(struct check_shot *shot);
void unlike_flat(struct check_shot *shot);
void unlike_alpha(struct check_shot *shot);
void unlike_gaps(struct check_shot *shot);

/* Adds that so many frames are missing, from `first` to `last`. */
void unlike_missing(struct findings_list *list, int64_t first, int64_t last, int64_t count);

#endif
