/* Learned limits: the numbers of accepted renders in every tile of a frame, and how far a frame
 * exceeds them.
 *
 * RULES. A tile has six numbers (ssimcu_tiles, ssimcu_feature). Each becomes a value with about the
 * same spread at any level:
 *
 *     rule         value of a tile                         channels   beyond   least spread
 *     score        mean SSIM                               one        below    0.002
 *     level_shift  levels                                  each       either   0.05
 *     difference   ln(levels + 0.2)                        each       above    0.02
 *     texture      ln(mean of levels^2 over channels + 1)  one        below    0.01
 *     bright       ln(levels^2 + 4)                        each       above    0.3
 *     dark         ln(levels^2 + 4)                        each       above    0.3
 *
 * TRAINING. Of the N accepted values of a tile, mu is the mean and v the variance (N - 1). v is
 * averaged over 3 x 3 tiles, with repeated edges. For texture it is at least 0.8 of the tile's,
 * because an edge varies more than its neighbours. A partial tile with less than a quarter of the
 * windows has at least the v of its neighbour. sigma = sqrt(v + spread^2) sqrt(1 + 1/N). The
 * least spread of the brightest and the darkest pixel is large: a few runs of a quiet tile may lack
 * a firefly. An ignored tile is an edge for its neighbours. Every value exceeds its learned limit,
 * because nothing shows what is normal there.
 *
 * JUDGING. A value t exceeds its learned limit by z = (t - mu) / sigma, on the rule's side. The z
 * of a frame is the largest of its tiles and channels, rule by rule. A frame is over its learned
 * limits if z is above the limit of that rule. Limits come from accepted runs, each left out of the
 * training in turn (tail.h).
 *
 * THE WHOLE FRAME. A fault may change all tiles, each by too little. So four more rules add up the
 * z of all tiles: for score, level shift, difference and texture. They need no further numbers in
 * learned limits. In a frame like the accepted ones, the z of n tiles add up to about sqrt(n),
 * because tiles are nearly independent. So the sum divided by sqrt(n) is a number of spreads for
 * any frame size: 0.5 to 1.2 in renders (bench/results/calibrate.md). The channel with the largest
 * sum counts. A tile counts for at most WHOLE_MOST, because the rules of tiles cover faults of one
 * tile. WHOLE_LEAST, by which a file of learned limits may round a mean, counts for nothing,
 * because similar tiles are all rounded the same way. Either side counts, because less noise than
 * accepted is a difference, too. */
#pragma once

#include "ssimcu.h"

#include <stdbool.h>

#define WHOLE_MOST 3.0
#define WHOLE_LEAST 0.0625

enum learned_rule {
    LEARNED_SCORE,
    LEARNED_LEVEL_SHIFT,
    LEARNED_DIFFERENCE,
    LEARNED_TEXTURE,
    LEARNED_BRIGHT,
    LEARNED_DARK,
    LEARNED_TILE_RULES, /* the rules above are of a tile, those below of the whole frame */
    LEARNED_FRAME_SCORE = LEARNED_TILE_RULES,
    LEARNED_FRAME_LEVEL_SHIFT,
    LEARNED_FRAME_DIFFERENCE,
    LEARNED_FRAME_TEXTURE,
    LEARNED_RULES
};

extern const char *const learned_rule_names[LEARNED_RULES]; /* "score", ..., "frame_score", ... */

/* Writes the name of a rule for a person, such as "frame level shift", and returns `text`. */
enum { LEARNED_WORDS = 24 };
const char *learned_rule_words(char text[LEARNED_WORDS], enum learned_rule rule);

/* The grid of tiles of a frame. Each plane of video is a channel, on the grid of the first
 * plane. */
struct learned_grid {
    uint32_t tile;          /* side in pixels */
    uint32_t width, height; /* pixels of the frame */
    uint32_t columns, rows; /* tiles */
    uint32_t channels;      /* 1 or 3 */
};

/* The values of a frame's tiles: for each tile rule, channel after channel, row after row. A rule
 * without channels has one. */
struct learned_values {
    struct learned_grid grid;
    float *value[LEARNED_TILE_RULES]; /* owned; one block of memory that starts at value[0] */
    /* Owned; for each tile, row after row: not 0 if it is ignored and trains nothing. May be
     * NULL. */
    unsigned char *ignored;
};

/* Return numbers for a grid: its tiles, the values of a rule, those of the rules before it, and
 * those of all rules. */
static inline size_t learned_tiles_of(const struct learned_grid *grid)
{
    return (size_t)grid->columns * grid->rows;
}
size_t learned_rule_values(const struct learned_grid *grid, enum learned_rule rule);
size_t learned_rule_start(const struct learned_grid *grid, enum learned_rule rule);
size_t learned_all_values(const struct learned_grid *grid);

bool learned_same_grid(const struct learned_grid *a, const struct learned_grid *b);

/* Returns whether two samples of one grid have the same ignored tiles. */
bool learned_same_ignored(const struct learned_values *a, const struct learned_values *b);

/* The noise of most tiles of a frame (noise_class.h). */
enum noise_class {
    NOISE_CLASS_NOTHING,
    NOISE_CLASS_NOISE,
    NOISE_CLASS_DENOISED,
    NOISE_CLASS_ALIKE
};

/* How far a frame is over its learned limits. */
struct learned_excess {
    uint32_t known; /* 0: it has no learned limits, or they were not requested */
    double z[LEARNED_RULES];
    struct learned_place { /* the tile with that z, or the whole frame, and the channel */
        uint32_t x, y, width, height, channel;
    } place[LEARNED_RULES];
    bool stale;                   /* the learned limits come from another reference */
    enum noise_class noise_class; /* only hints have it, not results */
};

/* The learned limits of a frame, or of a shot. */
struct learned_frame {
    struct learned_grid grid;
    uint32_t runs;       /* N */
    float *mean, *sigma; /* owned; learned_all_values() each, in the order of learned_values */
};

/* Judges a frame. Both must have the same grid (learned_same_grid). Tiles whose `ignored`, in the
 * order of a channel, is not 0 do not count; may be NULL. One tile must be left. */
void learned_judge(const struct learned_frame *learned, const struct learned_values *values,
                   const unsigned char *ignored, struct learned_excess *excess);

/* Writes how much of its limits each tile uses up, row after row: that of the worst rule, 1 at its
 * limit. If the frame is over a limit of the whole frame, no tile has less than 1. An ignored tile
 * has 0. `max_excess`: the limit of each rule; 0: the rule does not count. */
void learned_judge_tiles(const struct learned_frame *learned, const struct learned_values *values,
                         const unsigned char *ignored, const double max_excess[LEARNED_RULES],
                         float *excess);

/* Returns how many sigmas a value lies above the mean at index `at` of the learned limit's
 * arrays. */
static inline double learned_z(const struct learned_frame *learned, size_t at, float value)
{
    return ((double)value - learned->mean[at]) / learned->sigma[at];
}

/* Returns whether the numbers of a rule belong to channels. */
bool learned_has_channel(enum learned_rule rule);

/* Returns how far such a value is over its learned limits. */
double learned_beyond(enum learned_rule rule, double z);

/* Distinguishes a reference from another file of the same name. A copy keeps all of it except the
 * time. */
struct learned_reference {
    int64_t bytes, seconds; /* size, and time of the last change */
    uint32_t nanoseconds;
    uint32_t crc; /* CRC-32 of its first, middle and last 4 KiB, or of all of a smaller file */
};

void learned_values_free(struct learned_values *values);
void learned_frame_free(struct learned_frame *learned);
