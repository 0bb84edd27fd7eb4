/* Floors: what accepted renders show in every tile of a frame, and how far a frame is beyond it.
 *
 * RULES. A tile has six numbers (ssimcu_tiles, ssimcu_feature), each made a value that spreads
 * alike wherever it lies:
 *
 *     rule         value of a tile                         channels   beyond   least spread
 *     score        mean SSIM                               one        below    0.002
 *     shift        levels                                  each       either   0.05
 *     difference   ln(levels + 0.2)                        each       above    0.02
 *     texture      ln(mean of levels^2 over channels + 1)  one        below    0.01
 *     bright       ln(levels^2 + 4)                        each       above    0.3
 *     dark         ln(levels^2 + 4)                        each       above    0.3
 *
 * LEARNING. Of the N accepted values of a tile, mu is the mean and v the variance (N - 1). v is
 * averaged over 3 x 3 tiles, the edges repeated; that of texture is at least 0.8 of the tile's own,
 * as an edge has more of it than what lies beside it. sigma = sqrt(v + spread^2) sqrt(1 + 1/N).
 * The least spread of the brightest and the darkest pixel is large: a few runs of a quiet tile have
 * yet to show a firefly. A tile that is ignored is an edge for those beside it. Its own floor is
 * one that everything is beyond, because nothing says what is normal there.
 *
 * JUDGING. How far a value t is beyond its floor is z = (t - mu) / sigma, on the rule's side. That
 * of a frame is the largest of its tiles and channels, rule by rule. A frame is beyond its floor if
 * z is above the limit of that rule. Limits come from accepted runs that were left out of the
 * learning one by one (tail.h).
 *
 * THE WHOLE FRAME. A fault may touch all tiles, and each too little. So four rules more are of the
 * frame: of score, shift, difference and texture they add up the z of all tiles. Floors need
 * nothing more for them. Of a frame like those that were accepted, the z of n tiles add up to about
 * sqrt(n), for tiles are nearly independent. So the sum over sqrt(n) is a number of spreads,
 * whatever the size of the frame: 0.5 to 1.2 of them in renders (bench/results/calibrate.md). That
 * of a frame is the furthest of its channels. A tile counts for at most WHOLE_MOST, since a fault
 * of one tile is its own. WHOLE_LEAST, by which a file of floors may round a mean, counts for
 * nothing: tiles that are alike are all rounded the same way. Either side counts: less noise than
 * was accepted is another frame, too. */
#ifndef SSIMCU_QA_FLOORS_H
#define SSIMCU_QA_FLOORS_H

#include "ssimcu.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WHOLE_MOST 3.0
#define WHOLE_LEAST 0.0625

enum floor_rule {
    FLOOR_SCORE,
    FLOOR_SHIFT,
    FLOOR_DIFFERENCE,
    FLOOR_TEXTURE,
    FLOOR_BRIGHT,
    FLOOR_DARK,
    FLOOR_TILE_RULES, /* those before are of a tile, those from here on of the whole frame */
    FLOOR_FRAME_SCORE = FLOOR_TILE_RULES,
    FLOOR_FRAME_SHIFT,
    FLOOR_FRAME_DIFFERENCE,
    FLOOR_FRAME_TEXTURE,
    FLOOR_RULES
};

extern const char *const floor_rule_names[FLOOR_RULES]; /* "score", ..., "frame_score", ... */

/* The grid of tiles of a frame. Of video's planes each has a channel, all on the grid of the first.
 */
struct floor_grid {
    uint32_t tile;          /* side in pixels */
    uint32_t width, height; /* pixels of the frame */
    uint32_t columns, rows; /* tiles */
    uint32_t channels;      /* 1 or 3 */
};

/* The values of a frame's tiles: of each rule of a tile, channel after channel, row after row. A
 * rule of one channel has one. */
struct floor_values {
    struct floor_grid grid;
    float *value[FLOOR_TILE_RULES]; /* own, in one piece of memory that starts at value[0] */
    /* Own; of each tile, row after row: not 0 if it is ignored, and teaches nothing. NULL: none. */
    unsigned char *ignored;
};

/* Returns how many tiles a grid has, how many values a rule, how many the rules before it, and how
 * many all rules. */
static inline size_t floor_tiles_of(const struct floor_grid *grid)
{
    return (size_t)grid->columns * grid->rows;
}
size_t floor_rule_values(const struct floor_grid *grid, enum floor_rule rule);
size_t floor_rule_start(const struct floor_grid *grid, enum floor_rule rule);
size_t floor_all_values(const struct floor_grid *grid);

bool floor_same_grid(const struct floor_grid *a, const struct floor_grid *b);

/* Returns whether the same tiles of two samples of one grid are ignored. */
bool floor_same_ignored(const struct floor_values *a, const struct floor_values *b);

/* What most tiles of a frame tell (tells.h). */
enum floor_tells {
    FLOOR_TELLS_NOTHING,
    FLOOR_TELLS_NOISE,
    FLOOR_TELLS_DENOISED,
    FLOOR_TELLS_ALIKE
};

/* How far a frame is beyond its floors. */
struct floor_excess {
    uint32_t known; /* 0: it has no floors, or none were asked for */
    double z[FLOOR_RULES];
    struct floor_place { /* the tile, or the whole frame, and the channel with that z */
        uint32_t x, y, width, height, channel;
    } place[FLOOR_RULES];
    bool stale;             /* the floors were learnt against another reference */
    enum floor_tells tells; /* not part of results, which have hints */
};

/* The floors of a frame, or of a shot. */
struct floor_frame {
    struct floor_grid grid;
    uint32_t runs;       /* N */
    float *mean, *sigma; /* own; floor_all_values() each, in the order of floor_values */
};

/* Judges a frame. Both must be of the same grid (floor_same_grid). Tiles whose `ignored`, in the
 * order of a channel, is not 0 do not count; NULL: all do. One must be left. */
void floor_judge(const struct floor_frame *floor, const struct floor_values *values,
                 const unsigned char *ignored, struct floor_excess *excess);

/* Writes how much of its limits each tile uses up, row after row: the rule that is furthest, 1 at
 * its limit. If the frame is beyond one of its own, no tile has less than 1. A tile that is
 * ignored has 0. `max_excess`: the limit of each rule; 0: it does not count. */
void floor_judge_tiles(const struct floor_frame *floor, const struct floor_values *values,
                       const unsigned char *ignored, const double max_excess[FLOOR_RULES],
                       float *excess);

/* Returns how many sigmas a value lies above the mean of a place in the floor's arrays. */
static inline double floor_z(const struct floor_frame *floor, size_t at, float value)
{
    return ((double)value - floor->mean[at]) / floor->sigma[at];
}

/* Returns whether the number of a rule is of one channel. */
bool floor_has_channel(enum floor_rule rule);

/* Returns how far beyond its floor such a value is. */
double floor_beyond(enum floor_rule rule, double z);

/* What tells a reference from another file of its name: it survives a copy but for its time. */
struct floor_reference {
    int64_t bytes, seconds; /* size, and time of the last change */
    uint32_t nanoseconds;
    uint32_t crc; /* CRC-32 of its first, middle and last 4 KiB, or of all of a smaller file */
};

void floor_values_free(struct floor_values *values);
void floor_frame_free(struct floor_frame *floor);

#endif
