/* Clips: frames of REF and of one or several OUTs, read side by side. The files of this source
 * share what is declared here. */
#ifndef SSIMCU_QA_CLIPS_H
#define SSIMCU_QA_CLIPS_H

#include "pair/fit.h"
#include "pair/match.h"
#include "pair/region.h"
#include "pair/slots.h"
#include "pair/streams.h"
#include "pair/tags.h"
#include "source/kind.h"
#include "source/share.h"

#include <pthread.h>
#include <stdatomic.h>

/* A frame of REF that its decoder lends to the pairs of every OUT. */
struct clips_frame {
    ssimcu_clip_place place;
    atomic_uint users;
};

struct clips {
    struct source base;
    struct clips_side {
        ssimcu_clip *clip;          /* NULL: an OUT that is left out */
        ssimcu_sequence files;      /* files of a side that is pictures; empty: the side is video */
        struct fit fit[2];          /* of an OUT: what is done to REF's frames and to its own */
        char assumed[TAGS_TEXT];    /* of an OUT: what a side took from the other (tags_taken) */
        char streams[STREAMS_TEXT]; /* of an OUT: which of several streams each side's is */
        bool ended;
        bool ends_badly; /* the last move has found no frame, but an error: the file is cut off */
        double time;     /* of the frame gone to last, in seconds; NAN: unknown */
        bool over;       /* an OUT alone: no more pairs come */
        /* These are of an OUT whose frames are paired by their times: */
        ssimcu_clip_place ahead; /* the frame gone to last, if it is later than that of REF */
        bool lacks;              /* it has no frame at the time of REF's */
        int64_t next;            /* number of the frame to go to next */
        /* Status of the last move, until a record or `damage` tells it. */
        ssimcu_status status;
        ssimcu_message why;
        pthread_t closing; /* thread that closes the clip, if `closes` */
        bool closes;
    } side[1 + SOURCE_MOST_OUTS]; /* REF, OUTs */
    uint32_t outs;
    int gpu;              /* CUDA device whose video engines decode what they can; -1: none */
    int64_t position;     /* frame of REF to go to next */
    size_t wanted_at;     /* index in input->frames of the next frame that is asked for */
    uint64_t own_stretch; /* number of this reader's stretch, from 1; 0: it has none yet */
    int64_t told_until;   /* frame up to which the clips know which frame is wanted next */
    /* The frame of REF that is compared now. */
    int64_t frame, offset;         /* number, and offset in the file */
    uint64_t index;                /* place of its pair among those of this share */
    struct clips_frame *ref_frame; /* NULL: the decoder does not lend it */
    double last_time;              /* of REF's last frame so far, in seconds */
    void *data;    /* buffer for a frame of REF from a pipe, if there are several OUTs */
    uint32_t turn; /* number of OUTs paired with the current frame; 0: go to the next frame first */
};

/* Open and close the clips: `open` and `close` of the source, in clips_open.c. */
ssimcu_status clips_open(struct source *source, const enum form *form, ssimcu_message *message);
void clips_close(struct source *source);

/* Returns the first frame that both sides can have. */
int64_t clips_first(const struct source_input *input);

/* Returns whether OUT has not begun yet at this frame. */
bool clips_before_out(const struct source_input *input, int64_t frame);

/* Goes to the next frame that is asked for. REF is then at that frame, and the OUTs are before it.
 * A frame that must be read at once goes to `data` or to the pair's memory. Returns false if there
 * is none. */
bool clips_find_frame(struct clips *clips, struct pair *pair);

/* Moves one clip on by a frame. If the frame is not wanted, the clip reads nothing and lends
 * nothing. */
ssimcu_clip_place clips_step(struct clips_side *side, bool wanted, void *data);

/* Moves an OUT on to the frame that has the time of REF's, if there is one. Frames before it are
 * left out, which is said. */
ssimcu_clip_place clips_align(struct clips *clips, struct clips_side *out);

/* Notes whether OUT has no pair from the current frame on. */
void clips_note_end(const struct clips *clips, struct clips_side *out);

/* Chooses the number of readers: the source's `split`, in clips_split.c. */
struct source_split clips_split(struct source *source, uint32_t wanted);

/* See source_segment, in clips_segment.c. */
void clips_segment(struct source *source, struct source_input *input);

/* Gives up one use of a frame that REF lends. The last user releases it. */
void clips_leave(ssimcu_clip *clip, struct clips_frame *frame);

#endif
