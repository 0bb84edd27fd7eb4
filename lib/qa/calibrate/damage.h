/* Known damage to part of a frame, with which a calibration finds out what its limits see. */
#ifndef SSIMCU_QA_CALIBRATE_DAMAGE_H
#define SSIMCU_QA_CALIBRATE_DAMAGE_H

#include "ssimcu.h"

#include <stdbool.h>

enum damage {
    DAMAGE_BLACK,
    DAMAGE_FLAT,
    DAMAGE_BLUR,
    DAMAGE_SHIFT,
    DAMAGE_DEAD,
    DAMAGE_FIREFLIES,
    DAMAGE_GAIN,
    DAMAGE_CAST,
    DAMAGE_SWAPPED,
    DAMAGE_NOISE,
    DAMAGE_ID,       /* the only one in a mask of IDs that differ */
    DAMAGE_OF_FRAME, /* those from here on are slight, and of the whole frame */
    DAMAGE_FRAME_GAIN = DAMAGE_OF_FRAME,
    DAMAGE_FRAME_BLUR,
    DAMAGE_FRAME_SHIFT,
    DAMAGE_FRAME_NOISE,
    DAMAGES
};

extern const char *const damage_names[DAMAGES];

/* A plane or picture of a pair that is damaged. The frames are of one size, lie in host memory and
 * have their pitch set. */
struct damaged {
    const ssimcu_frame *ref, *before; /* REF, and OUT as it is */
    ssimcu_frame *out;                /* copy of `before` */
    uint32_t plane;                   /* number of video's plane: 0 is Y */
    bool video;
};

/* Returns whether a kind of damage is possible in frames of so many colours. `exact`: they are a
 * mask of IDs that differ. */
bool damage_is_for(enum damage kind, bool exact, bool video, uint32_t colours);

struct damage_square {
    uint32_t x, y, width, height;
};

void damage_apply(enum damage kind, const struct damaged *frames,
                  const struct damage_square *square, uint64_t random);

/* Returns the next of random numbers below `most`. */
uint32_t damage_draw(uint64_t *random, uint32_t most);

#endif
