/* Limits from the tail of what accepted runs show: the z of every tile of runs that were left out
 * of the learning one by one.
 *
 * The largest k of the values are the tail: 2 % of them, from 16 to 200, and at most a quarter. A
 * generalised Pareto distribution is fitted to them by probability-weighted moments. So few values
 * hardly tell its shape, which decides how far a limit lies beyond them. So the shape counts as if
 * TAIL_KNOWN more values had the one that the rule has in renders, and lies from 0 to 0.3.
 *
 * A rule of the whole frame has one value for each frame and channel, too few for a tail. But it is
 * a sum over tiles, and those are normal in renders (bench/results/calibrate.md). So the limit is
 * as many of its spreads as Student's distribution says. The spread counts as if TAIL_KNOWN_FRAMES
 * more frames had one of 1, and nothing that was accepted lies beyond the limit.
 *
 * The rules of tiles share the wanted rate of false alarms, and those of the frame have the share
 * of one together. The margin is for sigmas, which are kept as steps of 6.5 %;
 * bench/results/calibrate.md has what was measured. */
#ifndef SSIMCU_QA_FLOOR_TAIL_H
#define SSIMCU_QA_FLOOR_TAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TAIL_MOST = 200, TAIL_LEAST = 16, TAIL_KNOWN = 200, TAIL_KNOWN_FRAMES = 8 };

#define TAIL_MARGIN 1.05

/* The largest of the values so far. Zero makes an empty one. */
struct tail {
    uint64_t values; /* all that were added */
    size_t count;
    double shape;                  /* of such values in renders */
    bool of_frames;                /* they are of whole frames */
    double squares;                /* sum of the values' */
    double largest[TAIL_MOST + 1]; /* sorted: the least of them comes first */
};

void tail_add(struct tail *tail, const double *value, size_t count);

/* Returns the limit that a frame passes by chance at the wanted rate, shared by so many rules, of
 * `frames` frames that were left out. NaN: there are fewer than eight values, or two frames. */
double tail_limit(const struct tail *tail, uint64_t frames, double rate);

#endif
