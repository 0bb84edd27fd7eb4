/* Some frames of each shot, spread evenly: on these, runs are held against each other. */
#ifndef SSIMCU_QA_CALIBRATE_FRAMES_H
#define SSIMCU_QA_CALIBRATE_FRAMES_H

#include "source/source.h"

enum { FRAMES_OF_SHOT = 5 /* at most */ };

struct some_frames {
    struct some_frame {
        char *part; /* own; NULL: none */
        int64_t frame;
    } * frame;    /* own; of pictures, in order */
    size_t count; /* those that are chosen, or found so far */
    size_t shot;  /* first frame of the shot that is being chosen from */
    size_t room;
    ssimcu_ranges numbers; /* of video, for source_input.frames; none: its length is unknown */
};

/* Chooses from what a source has, which is then at its end. Errors: MEMORY. */
ssimcu_status some_frames_choose(struct source *source, struct some_frames *frames,
                                 ssimcu_message *message);

/* Returns whether a record's frame is one of them. */
bool some_frames_hold(const struct some_frames *frames, const struct record *record);

void some_frames_free(struct some_frames *frames);

#endif
