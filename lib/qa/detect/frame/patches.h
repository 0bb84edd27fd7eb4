/* What a frame keeps of its pixels for its neighbours: every fourth row, and which patches of 4 x 4
 * pixels have one value. Any area of 8 x 8 pixels contains a whole patch and a pixel around it. */
#pragma once

#include "ssimcu.h"

#include <stdbool.h>
#include <stdint.h>

struct detect_loops;

enum {
    PATCH = 4,                 /* side of a patch in pixels; the first row of each patch is kept */
    PATCH_CHANNELS = 0xf,      /* a bit for each channel that has one value in the patch, and in the
                                  pixels left of it and above it */
    PATCH_UP = 1 << 4,         /* units of the rows above it, beyond one, that continue the patch */
    PATCH_DOWN = 1 << 6,       /* units of the rows below it that do */
    PATCHES_MOST = 64,         /* levels up to which a second difference counts: edges are larger */
    PATCHES_MOST_COLOUR = 512, /* the same of colours, which hardly have such edges */
    PATCH_FURTHEST = 3         /* most of these rows that are counted */
};

struct patches {
    uint32_t width, channels, across, down;
    bool bytes;    /* kept samples are bytes, otherwise codes */
    uint8_t *flat; /* PATCH_CHANNELS, PATCH_UP and PATCH_DOWN of each patch; owned */
    void *row;     /* the kept rows; owned */
    uint32_t some; /* the number of patches with a flat channel */
    /* For each cell of 8 x 8 pixels, the mean second difference along its first row, in quarters of
     * a level, of the samples, and of the differences between colours; owned. Pixels of one colour
     * have none of the latter. */
    uint32_t cells_across, cells_down;
    uint16_t *second, *colour;
};

struct patches_rows {
    uint16_t *sum;           /* of second differences */
    int16_t *second, *shown; /* second differences, and light as a display shows it */
};

/* Takes the memory of `spare`, which may be NULL, if it is of such a frame: new memory costs more
 * than what is kept there. Returns whether there was memory. patches_free may follow in either
 * case. */
bool patches_open(struct patches *patches, const ssimcu_frame *frame, struct patches *spare);
void patches_free(struct patches *patches);

/* Takes patch row `down` of a frame. `step`: 0 where a sample equals its left and upper neighbours
 * in all rows and all pixels of a patch that begins there. It has PATCH bytes more than the row.
 * `rows`: memory for rows of the frame. */
void patches_take(struct patches *patches, const struct detect_loops *loops,
                  const ssimcu_frame *frame, uint32_t down, const uint8_t *step,
                  const struct patches_rows *rows);

/* Returns the mask of the channels that are colours. */
static inline unsigned patches_colours(const struct patches *patches)
{
    return (1u << (patches->channels - (patches->channels % 2 == 0))) - 1;
}

/* Returns a sample of kept row `down`. Unlike the codes of frame_stats.h, those of floats include
 * light below LOOPS_BLACK. */
static inline int patches_at(const struct patches *patches, uint32_t x, uint32_t down, uint32_t c)
{
    const size_t at = ((size_t)down * patches->width + x) * patches->channels + c;
    return patches->bytes ? ((const uint8_t *)patches->row)[at]
                          : ((const int16_t *)patches->row)[at];
}

/* Returns whether all kept pixels are the same. */
bool patches_are_one(const struct patches *patches);

/* Returns the level, from 0 to STATS_LEVELS, that a kept sample has on a display. */
double patches_level(int sample, uint32_t bits);

/* Returns the smallest kept sample of at least this level, or nearly so. */
int patches_sample(double level, uint32_t bits);
