/* Differing pixels: a mask of them, their number, and the largest group. */
#pragma once

#include "pair/pair.h"
#include "ssimcu_qa_types.h"

struct contract_region;
struct ignored_areas;
struct record;

/* How far apart the coverage of an object may be in the two files: a matte of 8 bits hardly shows
 * it. An object with no more coverage than this is absent. */
#define DIFFER_COVERAGE 0.01f

/* A mask has a byte for each pixel, row after row: 0, or 255 if it differs. */

/* Turns the pair's frames into a mask: REF becomes black, and OUT becomes white where the bits of
 * any sample differ. The frames have the same shape, and lie in the pair's memory. */
void diff_exactly(struct pair *pair);

/* Makes `mask` the pair's frames in the same way; `black` has as many bytes, all 0. */
void diff_take(struct pair *pair, uint8_t *black, uint8_t *mask);

/* Marks where two ranks of a Cryptomatte differ: the bits of the IDs, or the coverage by more than
 * DIFFER_COVERAGE. `id` and `coverage` point to the first sample of REF and OUT; the steps are
 * floats from one pixel to the next. */
struct diff_rank {
    const float *id[2], *coverage[2];
    size_t id_step, coverage_step;
};
void diff_mark(const struct diff_rank *rank, size_t pixels, uint8_t *mask);

/* A rule says which pixels count, and when two differ. */
struct diff_rule {
    double above;       /* how far apart differing samples are, as a fraction of white; 0: at all */
    ssimcu_alpha alpha; /* how alpha is composited, as for a score */
    /* Returns the next areas of a record's frame that do not count, as in struct judge; NULL: all
     * pixels count. */
    const struct ignored_areas *(*ignored)(void *user, const struct record *record, size_t *at);
    void *user; /* first argument of `ignored` */
};

/* Notes how many pixels of the pair's mask are marked. Errors: MEMORY. */
ssimcu_status diff_count_marked(const struct pair *pair, const struct diff_rule *rule,
                                ssimcu_diff *found, ssimcu_message *message);

/* Notes how many pixels of a pair of pictures differ: a sample is further from the other side's
 * than the rule allows, before any curve. Samples are those of a score: grey counts as R = G = B,
 * and alpha is composited or ignored. White of integers is 1, and levels are compared exactly;
 * different depths are compared as fractions of white. Next to floats, integers become the nearest
 * floats. NaN differs from everything but NaN. Only the region counts. Errors: MEMORY. */
ssimcu_status diff_count(const struct pair *pair, const struct diff_rule *rule,
                         const struct contract_region *region, ssimcu_diff *found,
                         ssimcu_message *message);
