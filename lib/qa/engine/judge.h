/* Judging the tiles of a pair: some are ignored, the others may be over their learned limits. */
#pragma once

#include "hints/hints.h"
#include "learned/ignored.h"

struct pair;
struct record;

/* Supplies learned limits and ignored areas. Many threads call its functions. */
struct judge {
    /* Finds the learned limits of a record's frame, which the caller frees with learned_frame_free;
     * `mean` is NULL if there are none. Sets *max_excess to the limit of each rule, or to NULL. If
     * `find` is NULL, no frame is judged by learned limits. */
    ssimcu_status (*find)(void *user, const struct record *record, struct learned_frame *learned,
                          const double **max_excess, ssimcu_message *message);
    /* Converts a record's excess over a variant's learned limits so that the limits of REF apply.
     * NULL if there are no variants. */
    void (*settle)(void *user, struct record *record);
    /* Returns whether these learned limits come from another reference than the record's. */
    bool (*is_stale)(void *user, const struct record *record);
    /* Returns whether a record within its learned limits exceeds a limit of its score, its worst
     * tile or its level shift. */
    bool (*is_tight)(void *user, const struct record *record);
    /* Returns the next ignored areas of a record's frame and advances *at, which starts at 0; NULL
     * at the end. If `ignored` is NULL, nothing is ignored. */
    const struct ignored_areas *(*ignored)(void *user, const struct record *record, size_t *at);
    uint32_t tile; /* side of the learned limits' tiles, in pixels */
    void *user;
};

/* Finds a pair's ignored tiles, as judge_ignore does. */
ssimcu_status judge_find_ignored(const struct judge *judge, const struct learned_tiles *tiles,
                                 const struct pair *pair, struct ignored_tiles *ignored,
                                 ssimcu_message *message);

/* Removes the ignored tiles from the pair's score, and notes them in its record. `tiles`: as filled
 * in by the score. The caller frees *ignored, whose `tile` is NULL if nothing is ignored. Errors:
 * MISMATCH (nothing is left, or a mask belongs to other frames), MEMORY. */
ssimcu_status judge_ignore(const struct judge *judge, const struct learned_tiles *tiles,
                           struct pair *pair, ssimcu_score *score, struct ignored_tiles *ignored,
                           ssimcu_message *message);

/* Notes in the pair's scored record how far it is over its learned limits, if it has any. Errors:
 * MISMATCH (the learned limits belong to other frames); MEMORY; those of `find`. */
ssimcu_status judge_learned(const struct judge *judge, const struct learned_tiles *tiles,
                            const struct ignored_tiles *ignored, uint32_t channels,
                            struct pair *pair, ssimcu_message *message);

/* Adds hints that follow from the learned limits: more or less noise, or a limit that is too tight
 * for accepted renders. The pair's record is filled in. Any hint except alpha and depth takes
 * precedence. */
void judge_hint(const struct record *record, struct hints *hints);

/* Replaces a record's findings by these hints. */
void judge_note_hints(struct record *record, const struct hints *hints);
