/* How far each tile of a pair is beyond its floor, as a map for people. */
#ifndef SSIMCU_QA_EXCESS_H
#define SSIMCU_QA_EXCESS_H

#include "engine/judge.h"

#include "image/resize.h"

/* Scores a pair once more, with the tiles of its floors, and writes into *map how much of
 * its limits the tile of each pixel of the frame uses up (floor_judge_tiles). The caller frees
 * map->value, which is NULL without floors or limits for the frame. Many threads may call it.
 * `judge` NULL: there are none. Errors: those of score_pair, judge_find_ignored and `find`; MEMORY.
 */
ssimcu_status excess_score(const struct judge *judge, ssimcu_context *lane, const struct pair *pair,
                           ssimcu_score *score, ssimcu_floats *map, ssimcu_message *message);

#endif
