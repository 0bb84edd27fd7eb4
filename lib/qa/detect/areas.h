/* Areas that the neighbours lack, found pixel by pixel in pictures without a codec: of one colour
 * (areas.c), and squares and columns of garbage, whose second differences are far larger than in
 * the neighbours (squares.c). */
#pragma once

#include "detect/temporal.h"

enum { AREAS_MOST = 12 /* areas of a frame that are kept, the largest ones */ };

struct areas {
    struct flat_area {
        struct finding_place place;
        size_t pixels;
        float level[4];   /* its colour, a level for each channel */
        uint32_t channel; /* 0: of all channels; otherwise of this one, from 1 */
        bool lost;        /* not an object that moved, nor part of a fade */
        bool brighter;    /* than the neighbours */
        bool grown;       /* it widens a shape that one of the others has */
    } at[AREAS_MOST];
    uint32_t count;
};

/* Adds areas of at least 8 x 8 pixels, such as buckets that were never rendered. `relit`: the light
 * of the whole frame has changed, which changes the colour of flat objects and clips bright ones.
 * Returns whether there was memory. */
bool areas_find(const struct temporal *temporal, bool relit, struct areas *areas);

/* Returns whether the areas of an outer frame may belong to a change of the picture: much around
 * one of them has changed, too. */
bool areas_are_changes(const struct temporal *temporal, const struct areas *areas);

struct garbage {
    double times; /* how many times as rough its roughest cell is as both others are around there */
    double sure;  /* the same of colours, if there are any: texture hardly has such */
    struct finding_place place; /* of this cell and the rough ones next to it */
    double even;  /* how rough the place is in the mean, as a share of its roughest cell */
    bool changes; /* the frame is an outer one, and its picture changes around the place */
};

/* Finds the roughest area of a frame. Returns whether there was memory. */
bool squares_garbage(const struct temporal *temporal, struct garbage *found);

/* Widens a box of cells by the marked cells next to it, until there are none. */
void areas_widen(const uint8_t *marks, uint32_t across, uint32_t down, struct finding_place *box);
