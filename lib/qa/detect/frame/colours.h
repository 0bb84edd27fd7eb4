/* The colours of a frame, channel by channel: R, G and B, or Y, U and V of video. */
#pragma once

#include "ssimcu.h"

#include <stdbool.h>
#include <stdint.h>

struct temporal;

enum {
    COLOURS = 3,
    COLOURS_ACROSS = 12, /* tiles of a frame */
    COLOURS_DOWN = 8,
    COLOURS_TILES = COLOURS_ACROSS * COLOURS_DOWN,
    COLOURS_SHARES = 16 /* equal shares of the pixels, from dark to bright */
};

struct colours {
    bool known;  /* the frame has three colours */
    bool video;  /* they are Y, U and V */
    float coded; /* levels by which a codec changes one value; 0: there is no codec */
    float low[COLOURS], high[COLOURS];          /* in levels, as below */
    float mean[COLOURS][COLOURS_TILES];         /* of each tile */
    float between[COLOURS][COLOURS_SHARES - 1]; /* levels between the shares */
};

/* Takes the colours of a frame from some of its pixels: a picture, or the three planes of a video.
 * `tolerance`: levels by which a codec changes one colour. */
void colours_take(const ssimcu_frame *plane, uint32_t planes, uint32_t tolerance,
                  struct colours *colours);

/* Returns a bit for each channel that has one value in the whole frame. */
unsigned colours_constant(const struct colours *colours);

/* Returns by how many levels the channels of RGB differ, in the mean of all tiles. */
double colours_chroma(const struct colours *colours);

/* Returns whether two channels of the frame are those of both others, exchanged. */
bool colours_swapped(const struct temporal *temporal, unsigned *first, unsigned *second);

/* Returns the power to which the levels of both others, which agree, give those of the frame; 1:
 * none does. */
double colours_power(const struct temporal *temporal);

/* Returns the name of a channel: "R", "U". */
const char *colours_name(bool video, unsigned channel);
