/* Ignored areas of frames: burn-ins, clocks, random IDs. A tile is left out if one of its windows
 * touches an ignored pixel in any plane. So no remaining number depends on these pixels. */
#pragma once

#include "learned/values.h"

/* Areas of a frame, in pixels of the file's frame. */
struct ignored_areas {
    struct ignored_rect {
        uint32_t x, y, width, height;
    } * rect; /* owned */
    size_t count, room;
    uint32_t width, height; /* size of the only frames that they belong to; 0: of any */
};

/* The tiles of a frame that are left out. */
struct ignored_tiles {
    unsigned char *tile; /* owned; for each tile of the first plane, row after row: 1 if left out */
    uint32_t count, all; /* number of tiles left out, and of all */
    double share;        /* share of the scored pixels in the tiles left out */
};

/* Allocates flags for tiles that are laid out; none is left out. Returns false if memory runs
 * out. */
bool ignored_make(const struct learned_tiles *tiles, struct ignored_tiles *ignored);

/* Leaves out the tiles that the areas touch. (x, y) is the corner of the scored region. Pixels up
 * to `spread` from an area, across and down, also depend on it. */
void ignored_add(const struct ignored_areas *parts, uint32_t x, uint32_t y,
                 const uint32_t spread[2], const struct learned_tiles *tiles,
                 struct ignored_tiles *ignored);

/* Recomputes the score, the worst tile and the level shift from the remaining tiles, whose numbers
 * a comparison has filled in. Every window counts once, and every plane by its pixels in these
 * tiles. The channels of a picture of three then have no scores, because tiles have their mean. If
 * a plane has no window left, returns false and keeps the score. */
bool ignored_score(const struct learned_tiles *tiles, const struct ignored_tiles *ignored,
                   ssimcu_score *score);

/* Makes values as learned_values_make does, and marks the tiles that are left out. Returns false if
 * memory runs out. */
bool ignored_values(const struct learned_tiles *tiles, const struct ignored_tiles *ignored,
                    uint32_t channels, struct learned_values *values);

void ignored_free(struct ignored_tiles *ignored);
