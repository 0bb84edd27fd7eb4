/* Frames of REF and of one or several OUTs that are walked through side by side: what the two files
 * of this source share. */
#ifndef SSIMCU_QA_CLIPS_H
#define SSIMCU_QA_CLIPS_H

#include "source/kind.h"
#include "source/match.h"
#include "source/region.h"
#include "source/share.h"
#include "source/slots.h"

#include <stdatomic.h>

/* A frame of REF that its decoder lends, to the pairs of every OUT. */
struct clips_frame {
    ssimcu_clip_place place;
    atomic_uint users;
};

struct clips {
    struct source base;
    struct clips_side {
        ssimcu_clip *clip;     /* NULL: of an OUT that is left out */
        ssimcu_sequence files; /* of pictures; none: it is video */
        bool ended;
        bool over; /* of an OUT: no pair is to come */
        /* What went wrong when it was moved on, and no record or damage says yet. */
        ssimcu_status status;
        ssimcu_message why;
    } side[1 + SOURCE_MOST_OUTS]; /* REF, OUTs */
    uint32_t outs;
    int gpu;          /* whose video engines decode what they can; -1: none */
    int64_t position; /* the frame of REF to go to next */
    size_t wanted_at; /* how far input->frames has been used up */
    uint64_t
        own_stretch;    /* where there are any: up to the one that is ours; as when it was taken */
    int64_t told_until; /* the clips know which frame is wanted next, up to this one */
    /* The frame of REF that is being compared. */
    int64_t frame, offset;         /* where it lies in the file */
    struct clips_frame *ref_frame; /* NULL: it is not lent */
    void *data;                    /* of several OUTs: where a pipe's frame is read to */
    uint32_t turn;                 /* OUTs that have had theirs; 0: go to the next frame first */
};

/* The first frame that both sides may have. */
int64_t clips_first(const struct source_input *input);

/* Whether OUT has not begun at this frame. */
bool clips_before_out(const struct source_input *input, int64_t frame);

/* Goes to the next frame that is asked for: REF is at it, the OUTs are before it. Where it has to
 * be read at once, that is to the pair's memory. False: there is none. */
bool clips_find_frame(struct clips *clips, struct pair *pair);

/* Moves one clip on. Where its frame is not wanted, `data` is NULL and nothing is lent. */
ssimcu_clip_place clips_step(struct clips_side *side, bool wanted, void *data);

/* Notes whether OUT has no pair from the present frame on. */
void clips_note_end(const struct clips *clips, struct clips_side *out);

/* clips_split.c: the source's function. */
struct source_split clips_split(struct source *source, uint32_t wanted);

/* One user less of the frame that REF lends. */
void clips_leave(ssimcu_clip *clip, struct clips_frame *frame);

#endif
