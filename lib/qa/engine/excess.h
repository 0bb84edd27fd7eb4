/* A map of how far each tile of a pair is over its learned limits. */
#pragma once

#include "engine/judge.h"

#include "image/resize.h"

/* Scores a pair again, with the tiles of its learned limits. *map says for each pixel how much of
 * the limits its tile uses up (learned_judge_tiles). The caller frees map->value, which is NULL if
 * the frame has no learned limits. Many threads may call it. `judge` may be NULL. Errors: those of
 * score_pair, judge_find_ignored and `find`; MEMORY. */
ssimcu_status excess_score(const struct judge *judge, ssimcu_context *context,
                           const struct pair *pair, ssimcu_score *score, ssimcu_floats *map,
                           ssimcu_message *message);
