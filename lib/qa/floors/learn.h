/* Learning: floors from the values of accepted samples, which are runs of one frame, or the frames
 * of a shot. */
#ifndef SSIMCU_QA_FLOOR_LEARN_H
#define SSIMCU_QA_FLOOR_LEARN_H

#include "floors/floors.h"
#include "floors/tail.h"

enum {
    LEARN_LEAST = 3 /* samples of a frame: two others, of which a variance can be learnt */,
    LEARN_MOST = 1024
};

/* Learns from `count` samples of the same grid and ignored tiles (floor_same_grid,
 * floor_same_ignored), LEARN_LEAST to LEARN_MOST of them. Only those whose
 * `left_out` is false count; NULL: all do. Returns false if memory runs out. */
bool learn_floor(const struct floor_values *sample, const bool *left_out, size_t count,
                 struct floor_frame *floor);

/* How far a sample is beyond what the others teach: the largest z of its tiles, and where. */
struct learn_excess {
    double z[FLOOR_RULES];
    struct floor_place place[FLOOR_RULES];
};

/* Judges each sample that counts by the others that count, at least two of them, and writes its
 * excess; `excess` has `count` elements. Adds every z of a tile, the largest of its channels, to
 * the tails, one for each rule; NULL: none. Ignored tiles count for neither. Returns false if
 * memory runs out. */
bool learn_leave_one_out(const struct floor_values *sample, const bool *left_out, size_t count,
                         struct learn_excess *excess, struct tail *tails);

#endif
