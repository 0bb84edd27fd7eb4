/* How far a pair is beyond its floors. */
#ifndef SSIMCU_QA_JUDGE_H
#define SSIMCU_QA_JUDGE_H

#include "floors/values.h"
#include "source/pair.h"

/* Where floors come from. */
struct judge_floors {
    /* Finds the floors of a record's frame, the caller's to free with floor_frame_free; `mean`
     * NULL: there are none. Sets *max_excess to the limit of each rule; NULL: none. Many threads
     * call it.
     */
    ssimcu_status (*find)(void *user, const struct record *record, struct floor_frame *floor,
                          const double **max_excess, ssimcu_message *message);
    void *user;
};

/* Notes in the pair's record how far it is beyond its floors, if it has any. `tiles`: those that
 * its score has filled in. Errors: MISMATCH (the floors are of other frames); MEMORY; those of
 * `find`. */
ssimcu_status judge_pair(const struct judge_floors *floors, const struct floor_tiles *tiles,
                         struct pair *pair, ssimcu_message *message);

#endif
