/* Parts of frames that are ignored: burn-ins, clocks, random IDs. A tile is left out if a window of
 * it touches an ignored pixel in any plane. So no number of what is left depends on these pixels.
 */
#ifndef SSIMCU_QA_FLOORS_IGNORED_H
#define SSIMCU_QA_FLOORS_IGNORED_H

#include "floors/values.h"

/* Some parts of a frame, in pixels of the file's frame. */
struct ignored_parts {
    struct ignored_rect {
        uint32_t x, y, width, height;
    } * rect; /* own */
    size_t count, room;
    uint32_t width, height; /* of the only frames that they are of; 0: of any */
};

/* The tiles of a frame that are left out. */
struct ignored_tiles {
    unsigned char *tile; /* own; of each tile of the first plane, row after row: 1 if left out */
    uint32_t count, all; /* tiles left out, and all */
    double share;        /* share of the scored pixels that lie in them */
};

/* Makes them for tiles that are laid out; none is left out. Returns false if memory runs out. */
bool ignored_make(const struct floor_tiles *tiles, struct ignored_tiles *ignored);

/* Leaves out the tiles that the parts touch. (x, y) is the corner of the scored region. Pixels up
 * to `spread`, across and down, beside a part hold something of it as well. */
void ignored_add(const struct ignored_parts *parts, uint32_t x, uint32_t y,
                 const uint32_t spread[2], const struct floor_tiles *tiles,
                 struct ignored_tiles *ignored);

/* Makes the score, the worst tile and the shift those of the tiles that are left, of which a
 * comparison has filled in the numbers. Every window counts once, and every plane by its pixels in
 * these tiles. The channels of a picture of three have no score of their own then: tiles have their
 * mean. Returns false if a plane has no window left; the score stays as it is. */
bool ignored_score(const struct floor_tiles *tiles, const struct ignored_tiles *ignored,
                   ssimcu_score *score);

/* Makes values as floor_values_make does, and notes in them which tiles are left out. Returns false
 * if memory runs out. */
bool ignored_values(const struct floor_tiles *tiles, const struct ignored_tiles *ignored,
                    uint32_t channels, struct floor_values *values);

void ignored_free(struct ignored_tiles *ignored);

#endif
