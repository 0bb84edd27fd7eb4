/* Training: learned limits from the values of accepted samples, which are runs of one frame, or the
 * frames of a shot. */
#pragma once

#include "learned/learned.h"
#include "learned/tail.h"

enum { LEARN_LEAST = 3 /* samples of a frame: each leaves two others, enough for a variance */ };

/* The numbers of one of several samples. */
struct learn_sample {
    struct learned_values values;
    bool left_out;               /* it does not count, and needs no values */
    struct learn_excess {        /* its excess over the limits that the others train */
        double z[LEARNED_RULES]; /* the largest of its tiles, and the place of that tile */
        struct learned_place place[LEARNED_RULES];
    } excess;
};

/* Trains on samples of the same grid and ignored tiles (learned_same_grid, learned_same_ignored),
 * of which at least LEARN_LEAST count. Returns false if memory runs out. */
bool learn_statistics(const struct learn_sample *sample, size_t count,
                      struct learned_frame *learned);

/* Judges each sample that counts by the others, at least two, and writes its excess. Adds each
 * tile's z, the largest of its channels, to the tails, one for each rule; `tails` may be NULL.
 * Ignored tiles are left out of both. Returns false if memory runs out. */
bool learn_leave_one_out(struct learn_sample *sample, size_t count, struct tail *tails);
