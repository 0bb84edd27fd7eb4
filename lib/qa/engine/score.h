/* A pair's score, with its worst tile and the tile of the largest level shift. */
#pragma once

#include "engine/judge.h"

/* The allowed tile sides, in pixels: in words, and as a check. */
#define SCORE_TILES "a multiple of 4 from 24 to 65536"
bool score_allows_tile(int64_t side);

/* Scores two pictures (one plane each) or two video frames (three planes each) in host memory.
 * `tile` is the tile side in pixels, as in SCORE_TILES; 0: no tiles. Places are in pixels of the
 * first plane. `map` is for pictures, as in ssimcu_compare_views; may be NULL. `all` gets the
 * numbers of all tiles, and its memory is reused for the next pair of that size. The caller first
 * sets its `plain`. If `all` is NULL, only the worst tile is found. Errors: as ssimcu_compare;
 * ARGUMENT (a plane's tiles would be too small). */
ssimcu_status score_frames(ssimcu_context *context, const ssimcu_frame *const frame[2],
                           uint32_t planes, uint32_t tile, struct learned_tiles *all,
                           ssimcu_score *score, ssimcu_map *map, ssimcu_message *message);

/* Scores a loaded pair wherever its frames are. Frames in device memory must be on the context's
 * device; the context waits for no stream. Errors: as ssimcu_compare. */
ssimcu_status score_pair(ssimcu_context *context, const struct pair *pair, uint32_t tile,
                         struct learned_tiles *all, ssimcu_score *score, ssimcu_message *message);

/* Fails if the pair lacks a metric in `needed` (a sum of 1 << ssimcu_metric), because a plane is
 * too small for it. Errors: TOO_SMALL. */
ssimcu_status score_need(uint32_t needed, const struct pair *pair, const ssimcu_score *score,
                         ssimcu_message *message);

/* Notes the score in the pair's record, without hints. Ignored tiles leave the score first; the
 * learned limits then judge the rest. `judge` may be NULL. With a judge, the score has filled in
 * `tiles`. *ignored lists what was left out; the caller frees it. Errors: those of judge_ignore and
 * judge_learned. */
ssimcu_status score_note(struct pair *pair, const ssimcu_context *context,
                         const struct judge *judge, const struct learned_tiles *tiles,
                         struct ignored_tiles *ignored, ssimcu_score *score,
                         ssimcu_message *message);
