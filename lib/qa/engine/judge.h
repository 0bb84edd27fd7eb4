/* What the numbers of all tiles of a pair are good for: parts that are ignored, and how far the
 * rest is beyond its floors. */
#ifndef SSIMCU_QA_JUDGE_H
#define SSIMCU_QA_JUDGE_H

#include "floors/ignored.h"
#include "hints/hints.h"

struct pair;
struct record;

/* It says where floors and parts come from. Many threads call both. */
struct judge {
    /* Finds the floors of a record's frame, the caller's to free with floor_frame_free; `mean`
     * NULL: there are none. Sets *max_excess to the limit of each rule; NULL: none. The call itself
     * NULL: no frame is judged by floors. */
    ssimcu_status (*find)(void *user, const struct record *record, struct floor_frame *floor,
                          const double **max_excess, ssimcu_message *message);
    /* Makes how far a record is beyond the floors of another reference a number that the limits of
     * REF hold for. NULL: there are no others. */
    void (*settle)(void *user, struct record *record);
    /* Returns whether these floors were learnt against another reference than the record's. */
    bool (*is_stale)(void *user, const struct record *record);
    /* Returns whether a record that keeps to its floors is beyond a limit of its score, its worst
     * tile or its shift. */
    bool (*is_tight)(void *user, const struct record *record);
    /* Returns the next parts that are ignored in a record's frame, and moves *at, which starts with
     * 0; NULL: there are no more. The call itself NULL: nothing is ignored. */
    const struct ignored_parts *(*ignored)(void *user, const struct record *record, size_t *at);
    uint32_t tile; /* side of the floors' tiles in pixels */
    void *user;
};

/* Finds the tiles that are ignored in a pair, as judge_ignore does. */
ssimcu_status judge_find_ignored(const struct judge *judge, const struct floor_tiles *tiles,
                                 const struct pair *pair, struct ignored_tiles *ignored,
                                 ssimcu_message *message);

/* Takes what is ignored out of the pair's score, and notes it in its record. `tiles`: those that
 * the score has filled in. *ignored, the caller's to free, has no `tile` if nothing is. Errors:
 * MISMATCH (nothing is left, or a mask is of other frames), MEMORY. */
ssimcu_status judge_ignore(const struct judge *judge, const struct floor_tiles *tiles,
                           struct pair *pair, ssimcu_score *score, struct ignored_tiles *ignored,
                           ssimcu_message *message);

/* Notes in the pair's record, which has its score, how far it is beyond its floors, if it has any.
 * Errors: MISMATCH (the floors are of other frames); MEMORY; those of `find`. */
ssimcu_status judge_floors(const struct judge *judge, const struct floor_tiles *tiles,
                           const struct ignored_tiles *ignored, uint32_t channels,
                           struct pair *pair, ssimcu_message *message);

/* Adds what the floors tell to the hints of a pair whose record is filled in: more or less noise,
 * or that a limit is too tight for renders that were accepted. Any hint but alpha and depth knows
 * better. */
void judge_hint(const struct record *record, struct hints *hints);

#endif
