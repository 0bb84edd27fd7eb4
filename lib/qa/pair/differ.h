/* Pixels that differ: a mask of them, how many there are, and the largest group. */
#ifndef SSIMCU_QA_DIFFER_H
#define SSIMCU_QA_DIFFER_H

#include "pair/pair.h"
#include "ssimcu_qa_types.h"

struct contract_region;
struct ignored_parts;
struct record;

/* How far apart the coverage of an object may be in both files: a matte of 8 bits hardly shows it.
 * An object that covers no more of a pixel is not there. */
#define DIFFER_COVERAGE 0.01f

/* A mask has a byte for each pixel, row after row: 0, or 255 if it differs. */

/* Makes the pair's frames a mask: REF is black, and OUT is white where any sample of a pixel has
 * other bits. The frames have one shape, and lie in memory of the pair's own. */
void differ_exactly(struct pair *pair);

/* Makes a mask the pair's frames, likewise; `black` has as many bytes, all 0. */
void differ_take(struct pair *pair, uint8_t *black, uint8_t *mask);

/* Marks where two ranks of Cryptomatte differ: where the IDs have other bits, or the coverage is
 * further apart than DIFFER_COVERAGE. `id`, `coverage`: of REF and OUT, the first sample of each,
 * and `step` floats are from one pixel to the next. */
struct differ_rank {
    const float *id[2], *coverage[2];
    size_t id_step, coverage_step;
};
void differ_mark(const struct differ_rank *rank, size_t pixels, uint8_t *mask);

/* The rule says which pixels count, and when two differ. */
struct differ_rule {
    double above;       /* how far apart samples are that differ, of white 1; 0: at all */
    ssimcu_alpha alpha; /* what the samples are composited over, as those of a score */
    /* Returns the next parts of a record's frame that do not count, as struct judge has it; NULL:
     * all pixels count. */
    const struct ignored_parts *(*ignored)(void *user, const struct record *record, size_t *at);
    void *user; /* its first argument */
};

/* Notes how many pixels of the pair's mask differ. Errors: MEMORY. */
ssimcu_status differ_count(const struct pair *pair, const struct differ_rule *rule,
                           ssimcu_differing *found, ssimcu_message *message);

/* Notes how many pixels of a pair of pictures have a sample that is further from the other's than
 * the rule allows, before any curve. Samples are those that a score compares: grey counts as
 * R = G = B, and alpha is composited or ignored. White of integers is 1, and levels are compared
 * exactly: beside another depth too, as fractions of white. Integers beside floats are the nearest
 * floats. NaN is far from all but NaN. Only the region counts. Errors: MEMORY. */
ssimcu_status differ_above(const struct pair *pair, const struct differ_rule *rule,
                           const struct contract_region *region, ssimcu_differing *found,
                           ssimcu_message *message);

#endif
