/* Limits from the tail of accepted runs: the z of every tile, with each run left out of the
 * training in turn.
 *
 * The largest k of the values are the tail: 2 % of them, from 16 to 200, and at most a quarter. A
 * generalised Pareto distribution is fitted to them by probability-weighted moments. So few values
 * hardly determine its shape, which decides how far a limit lies beyond them. So the shape is
 * computed as if TAIL_KNOWN more values had the rule's shape in renders, and it lies from 0 to 0.3.
 *
 * A rule of the whole frame has one value for each frame and channel, too few for a tail. But it is
 * a sum over tiles, and such sums are normal in renders (bench/results/calibrate.md). So Student's
 * distribution gives the limit in spreads. The spread is computed as if TAIL_KNOWN_FRAMES more
 * frames had one of 1. No accepted value lies beyond the limit.
 *
 * The tile rules share the target rate of false alarms, and the frame rules together have the share
 * of one of them. The margin covers the sigmas, which are stored in steps of 6.5 %;
 * bench/results/calibrate.md has the measurements. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TAIL_MOST = 200, TAIL_LEAST = 16, TAIL_KNOWN = 200, TAIL_KNOWN_FRAMES = 8 };

#define TAIL_MARGIN 1.05

/* The largest values so far. A zeroed tail is empty. */
struct tail {
    uint64_t values; /* number of all values added */
    size_t count;
    double shape;                  /* the shape of such values in renders */
    bool of_frames;                /* the values are of whole frames */
    double squares;                /* sum of the squared values */
    double largest[TAIL_MOST + 1]; /* sorted, least first */
};

void tail_add(struct tail *tail, const double *value, size_t count);

/* Returns the limit that a frame exceeds by chance at the target rate, shared by all rules, if
 * `frames` frames were left out. NaN: fewer than eight values, or than two frames. */
double tail_limit(const struct tail *tail, uint64_t frames, double rate);
