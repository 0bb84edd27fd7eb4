/* Known damage to part of a frame, with which a calibration finds out what its limits see. */
#pragma once

#include "ssimcu.h"

#include <stdbool.h>

enum fault_model {
    FAULT_MODEL_BLACK,
    FAULT_MODEL_FLAT,
    FAULT_MODEL_BLUR,
    FAULT_MODEL_SHIFT,
    FAULT_MODEL_DEAD,
    FAULT_MODEL_FIREFLIES,
    FAULT_MODEL_GAIN,
    FAULT_MODEL_CAST,
    FAULT_MODEL_SWAPPED,
    FAULT_MODEL_NOISE,
    FAULT_MODEL_ID,       /* the only one in a mask of IDs that differ */
    FAULT_MODEL_OF_FRAME, /* those from here on are slight, and of the whole frame */
    FAULT_MODEL_FRAME_GAIN = FAULT_MODEL_OF_FRAME,
    FAULT_MODEL_FRAME_BLUR,
    FAULT_MODEL_FRAME_SHIFT,
    FAULT_MODEL_FRAME_NOISE,
    FAULT_MODELS
};

extern const char *const fault_model_names[FAULT_MODELS];

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
bool fault_model_is_for(enum fault_model kind, bool exact, bool video, uint32_t colours);

struct fault_model_square {
    uint32_t x, y, width, height;
};

void fault_model_apply(enum fault_model kind, const struct damaged *frames,
                       const struct fault_model_square *square, uint64_t random);

/* Returns the next of random numbers below `most`. */
uint32_t fault_model_draw(uint64_t *random, uint32_t most);
