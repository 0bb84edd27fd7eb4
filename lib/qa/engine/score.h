/* A pair's score, with the worst and the most shifted of its tiles. */
#ifndef SSIMCU_QA_SCORE_H
#define SSIMCU_QA_SCORE_H

#include "engine/judge.h"

/* The sides of tiles that may be asked for, in pixels, in words and as a check. */
#define SCORE_TILES "a multiple of 4 from 24 to 65536"
bool score_allows_tile(int64_t side);

/* Scores two pictures (one plane each) or two video frames (three planes each) in host memory.
 * `tile` is the side of a tile in pixels, one of SCORE_TILES; 0: no tiles. Places are
 * in pixels of the first plane. `map` is that of pictures, as ssimcu_compare_views wants it; NULL:
 * none. `all` gets the numbers of all tiles; its memory is used again for the next pair of that
 * size. The caller says first whether it is `plain`. NULL: only the worst is wanted. Errors: as
 * ssimcu_compare; ARGUMENT (a plane's tiles would be too small). */
ssimcu_status score_frames(ssimcu_context *context, const ssimcu_frame *const frame[2],
                           uint32_t planes, uint32_t tile, struct floor_tiles *all,
                           ssimcu_score *score, ssimcu_map *map, ssimcu_message *message);

/* Scores a loaded pair wherever its frames are. Frames in device memory must be in that of the
 * context, which waits for no stream. Errors: as ssimcu_compare. */
ssimcu_status score_pair(ssimcu_context *context, const struct pair *pair, uint32_t tile,
                         struct floor_tiles *all, ssimcu_score *score, ssimcu_message *message);

/* Fails if the pair has no value of a metric that is needed, 1 << ssimcu_metric added up: a plane
 * is too small for it. Errors: TOO_SMALL. */
ssimcu_status score_need(uint32_t needed, const struct pair *pair, const ssimcu_score *score,
                         ssimcu_message *message);

/* Notes in the pair's record what its score has said, all but the hints. What is ignored leaves the
 * score before, and floors are held against the rest; `judge` NULL: neither. `tiles`: those that
 * the score has filled in, if there is a judge. *ignored, the caller's to free, is what was left
 * out. Errors: those of judge_ignore and judge_floors. */
ssimcu_status score_note(struct pair *pair, const ssimcu_context *context,
                         const struct judge *judge, const struct floor_tiles *tiles,
                         struct ignored_tiles *ignored, ssimcu_score *score,
                         ssimcu_message *message);

#endif
