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
    DAMAGES
};

enum { DAMAGE_REACH = 2 /* pixels around a square that damage looks at */ };

extern const char *const damage_names[DAMAGES];

/* Part of a plane or picture as numbers: rows of pixels, white is 1. */
struct damage_part {
    uint32_t width, height, channels;
    uint32_t colours; /* channels that are not alpha */
    uint32_t plane;   /* of video: 0 is Y */
    bool video, floats;
    double *value; /* own */
};

/* Reads a part of a frame in host memory. Returns false if memory runs out. */
bool damage_read(const ssimcu_frame *frame, uint32_t x, uint32_t y, uint32_t width, uint32_t height,
                 struct damage_part *part);

/* Writes a part to a frame, whose pitch is set. */
void damage_write(const struct damage_part *part, ssimcu_frame *frame, uint32_t x, uint32_t y);

/* Returns whether a kind of damage is possible in frames of so many colours. */
bool damage_is_for(enum damage kind, bool video, uint32_t colours);

struct damage_square {
    uint32_t x, y, width, height;
};

/* Damages a square of `out`, whose part of REF is `ref`. Returns false if memory runs out. */
bool damage_apply(enum damage kind, struct damage_part *out, const struct damage_part *ref,
                  const struct damage_square *square, uint64_t *random);

/* Returns the next of random numbers below `most`. */
uint32_t damage_draw(uint64_t *random, uint32_t most);

#endif
