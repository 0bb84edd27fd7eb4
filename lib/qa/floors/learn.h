/* Learning: floors from the values of accepted samples, which are runs of one frame, or the frames
 * of a shot. */
#ifndef SSIMCU_QA_FLOOR_LEARN_H
#define SSIMCU_QA_FLOOR_LEARN_H

#include "floors/floors.h"
#include "floors/tail.h"

enum { LEARN_LEAST = 3 /* samples of a frame: two others, of which a variance can be learnt */ };

/* What one of several samples shows. */
struct learn_sample {
    struct floor_values values;
    bool left_out;             /* it does not count, and needs no values */
    struct learn_excess {      /* how far it is beyond what the others teach */
        double z[FLOOR_RULES]; /* the largest of its tiles, and where that is */
        struct floor_place place[FLOOR_RULES];
    } excess;
};

/* Learns from samples of the same grid and ignored tiles (floor_same_grid, floor_same_ignored), of
 * which LEARN_LEAST count at least. Returns false if memory runs out. */
bool learn_floor(const struct learn_sample *sample, size_t count, struct floor_frame *floor);

/* Judges each sample that counts by the others that count, at least two of them, and writes its
 * excess. Adds every z of a tile, the largest of its channels, to the tails, one for each rule;
 * NULL: none. Ignored tiles count for neither. Returns false if memory runs out. */
bool learn_leave_one_out(struct learn_sample *sample, size_t count, struct tail *tails);

#endif
