/* A shot: consecutive frames, judged by their numbers and by their neighbours. */
#pragma once

#include "detect/areas.h"
#include "detect/frame/frame_stats.h"
#include "detect/stale.h"
#include "record/finding.h"

#include "record/record.h"
#include "sequence/sequence.h"

/* A frame of a shot, kept until the shot ends. */
struct shot_frame {
    int64_t number;
    char *path;              /* owned; NULL: missing frames */
    struct record_side file; /* the file; its path is `path` */
    char *streams;        /* owned; of video: the stream that was read; NULL: there is only one */
    ssimcu_status status; /* the error, if it could not be read */
    char *why;            /* owned; the error's message; may be NULL */
    char *declared;       /* owned; RECORD_DECLARED; may be NULL */
    char *left;           /* owned; RECORD_LEFT; may be NULL */
    double time;          /* of video: seconds after the first frame; NAN: unknown */
    bool read;            /* it was read, and the members below are known */
    uint32_t width, height, channels, bits;
    bool flat;
    enum stats_alpha alpha;
    /* Its temporal_distance from the frame before, and from the one before that; NAN: unknown.
     * `same`: it is identical to the frame before. */
    double step[2];
    bool same;
    bool same_scene;          /* the scene is that before the solid frames */
    double outlier;           /* temporal_outlier */
    bool judged;              /* two others could be compared with it */
    bool outer;               /* they lie on one side of it */
    bool is_hold;             /* both neighbours repeat it */
    struct stats_pixel pixel; /* temporal_pixel, and by how many levels */
    double beyond;
    bool changes;        /* the pixel belongs to a change of an outer frame */
    struct areas *areas; /* owned; NULL: none */
    struct garbage garbage;
    struct stale stale;
    struct shot_colours {
        bool known, video;
        unsigned constant;     /* a bit for each channel with one value */
        float spread[COLOURS]; /* levels from the darkest sixteenth to the brightest one */
        float mean[COLOURS];
        double chroma;
        bool swapped; /* these channels are exchanged */
        unsigned first, second;
        double power; /* colours_power; 1: none */
    } colours;
    struct findings found;
};

struct shot {
    char *name;            /* owned; NULL: no shot has begun */
    char *layer;           /* owned; its layer of the EXRs; may be NULL */
    bool numbered;         /* it is a sequence of numbered files */
    bool video;            /* it is one file with many frames */
    bool of_several_sizes; /* so its numbers were not examined */
    struct shot_frame *frame;
    size_t count, room;
    struct frame_stats *last[3];             /* owned; the last frames read, newest first */
    size_t last_at[3];                       /* their indices */
    struct prints older[STALE_FURTHEST - 1]; /* owned; of the frames before them */
    struct frame_stats *last_nonsolid; /* owned; before a solid frame, and its distance from it */
    double last_nonsolid_step;
    struct patches spare; /* owned; those of the last frame that is no longer needed */
    bool out_of_memory;
};

/* Adds a frame. `why` says why it could not be read; NULL: it has `stats`, which the shot takes. */
void shot_add(struct shot *shot, int64_t number, const char *path, const char *why,
              struct frame_stats *stats);

/* Judges all frames, once all are added. Adds missing frames. */
void shot_judge(struct shot *shot);

void shot_free(struct shot *shot);

/* ---- steps.c --------------------------------------------------------------------------------- */

/* Returns the step that a quarter of the frames around a frame reach. */
double shot_usual_step(const struct shot *shot, size_t at);

/* ---- recurring.c ----------------------------------------------------------------------------- */

/* Add faults of frames that do not recur in their shot. */
void recurring_pixels(struct shot *shot);
void recurring_duplicates(struct shot *shot);
void recurring_order(struct shot *shot);
void recurring_foreign(struct shot *shot);

/* ---- recurring_areas.c ----------------------------------------------------------------------- */

/* Add flat areas, areas of garbage and stale areas that do not recur. */
void recurring_areas(struct shot *shot);
void recurring_garbage(struct shot *shot);
void recurring_stale(struct shot *shot);

/* Returns whether garbage, or a flat area there, which has edges, is known. */
bool recurring_explains(const struct findings *list, const struct finding_place *place);

/* ---- consistency.c --------------------------------------------------------------------------- */

/* Add frames whose shape, alpha or colour differs from most, and frames without a picture. */
void consistency_shapes(struct shot *shot);
void consistency_solid(struct shot *shot);
void consistency_alpha(struct shot *shot);
void consistency_colours(struct shot *shot);

/* ---- timing.c -------------------------------------------------------------------------------- */

/* Adds gaps between the times of a video's frames, times that run backwards, and changes of the
 * rate. A video without a regular rate has only the second. */
void timing_judge(struct shot *shot);

/* ---- header.c -------------------------------------------------------------------------------- */

/* Adds frames whose files declare something else than most: another compression, window, pixel
 * aspect, rate, or other colours. */
void header_judge(struct shot *shot);

/* ---- gaps.c ---------------------------------------------------------------------------------- */

/* Add the numbers that a shot lacks, in order: those between its frames, if most of these have the
 * same distance, or those that were requested. Each is a frame; more than GAPS_NAMED without a
 * frame between them are one. */
enum { GAPS_NAMED = 10000 };
void gaps_between(struct shot *shot);
void gaps_requested(struct shot *shot, const ssimcu_ranges *frames);

/* Returns whether numbers are missing, but the pictures may be UDIM tiles, or have nothing in
 * common, like icons and textures. */
bool gaps_are_doubtful(const struct shot *shot);
