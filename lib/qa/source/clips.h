/* Clips: frames of REF and of one or several OUTs, read side by side. The files of this source
 * share these declarations. */
#pragma once

#include "pair/fit.h"
#include "pair/match.h"
#include "pair/region.h"
#include "pair/slots.h"
#include "pair/streams.h"
#include "pair/tags.h"
#include "source/kind.h"
#include "source/share.h"

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
        struct fit fit[2];          /* how REF's frames and this OUT's are fitted */
        char assumed[TAGS_TEXT];    /* tags that REF or this OUT took from the other (tags_taken) */
        char streams[STREAMS_TEXT]; /* which of several streams REF and this OUT read */
        bool ended;
        bool ends_badly; /* the last move found an error, not a frame: the file is cut off */
        double time;     /* time of the last frame reached, in seconds; NAN: unknown */
        bool over;       /* no more pairs of this OUT come */
        /* These are for an OUT whose frames are paired by time: */
        ssimcu_clip_place ahead; /* the last frame reached, if it is later than REF's */
        bool lacks;              /* it has no frame at REF's time */
        int64_t next;            /* number of the next frame */
        /* Status of the last move, until a record or `damage` reports it. */
        ssimcu_status status;
        ssimcu_message why;
        pthread_t closing; /* thread that closes the clip, if `closes` */
        bool closes;
    } side[1 + SOURCE_MOST_OUTS]; /* REF, OUTs */
    uint32_t outs;
    int gpu;                /* CUDA device whose video engines decode where they can; -1: none */
    int64_t position;       /* next frame of REF */
    size_t wanted_at;       /* index in input->frames of the next requested frame */
    uint64_t current_chunk; /* number of this reader's chunk, from 1; 0: none yet */
    int64_t told_until;     /* the clips know which frames are wanted before this one */
    /* The frame of REF that is compared now. */
    int64_t frame, offset;         /* number, and offset in the file */
    uint64_t index;                /* place of its pair in this share */
    struct clips_frame *ref_frame; /* NULL: the decoder does not lend it */
    double last_time;              /* time of REF's last frame so far, in seconds */
    void *data;    /* buffer for a frame of REF from a pipe, if there are several OUTs */
    uint32_t turn; /* number of OUTs paired with the current frame; 0: go to the next frame first */
};

/* Returns the format of REF. */
static inline const ssimcu_clip_format *clips_shape(const struct clips *clips)
{
    return ssimcu_clip_shape(clips->side[0].clip);
}

/* Open and close the clips: `open` and `close` of the source, in clips_open.c. */
ssimcu_status clips_open(struct source *source, const enum form *form, ssimcu_message *message);
void clips_close(struct source *source);

/* Returns the first frame that both sides can have. */
int64_t clips_first(const struct source_input *input);

/* Returns whether OUT has not begun at this frame. */
bool clips_before_out(const struct source_input *input, int64_t frame);

/* Goes to the next requested frame. REF is then at that frame, and the OUTs are before it. A frame
 * that must be read at once goes to `data` or to the pair's memory. Returns false if there is
 * none. */
bool clips_find_frame(struct clips *clips, struct pair *pair);

/* Moves a clip on by one frame. If the frame is not wanted, the clip reads nothing and lends
 * nothing. */
ssimcu_clip_place clips_step(struct clips_side *side, bool wanted, void *data);

/* Moves an OUT on to the frame at REF's time, if there is one. Earlier frames are left out, which
 * is reported. */
ssimcu_clip_place clips_align(struct clips *clips, struct clips_side *out);

/* Notes whether OUT has no pair from the current frame on. */
void clips_note_end(const struct clips *clips, struct clips_side *out);

/* Chooses the number of readers: the source's `split`, in clips_segment.c. */
struct source_split clips_split(struct source *source, uint32_t wanted);

/* See source_segment, in clips_segment.c. */
void clips_segment(struct source *source, struct source_input *input);

/* Drops one use of a frame that REF lends. The last user releases it. */
void clips_leave(ssimcu_clip *clip, struct clips_frame *frame);
