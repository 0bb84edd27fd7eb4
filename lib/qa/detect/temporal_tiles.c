/* Whole frames, and their tiles of 8 x 8 cells, compared with two others. */
#include "detect/temporal.h"

#include <math.h>
#include <stdlib.h>

#define STEADY 0.05 /* 1 - r of a tile that hardly moves */
#define LOST 0.6    /* share of the range of a tile, below which its texture is lost */
#define LIKE 0.5    /* 1 - r, below which two pictures show the same in any light */

double temporal_distance(const struct frame_stats *a, const struct frame_stats *b)
{
    const size_t cells = (size_t)a->across * a->down;
    uint64_t sum = 0;
    if (a->width != b->width || a->height != b->height || cells == 0) return STATS_LEVELS;
    for (size_t i = 0; i < cells; i++) sum += (uint32_t)abs(a->mean[i] - b->mean[i]);
    return (double)sum / (double)cells / a->level;
}

/* Returns 1 - r of two tiles of 8 x 8 cells; NAN: one of them has no texture. */
static double consistency_tile(const struct frame_stats *a, const struct frame_stats *b, uint32_t x,
                               uint32_t y)
{
    const double square = a->level * b->level; /* codes */
    int64_t all[5] = {0};
    double sum[5];
    int count = 0;
    for (uint32_t j = y; j < y + STATS_CELL && j < a->down; j++)
        for (uint32_t i = x; i < x + STATS_CELL && i < a->across; i++, count++) {
            const size_t at = (size_t)j * a->across + i;
            const int64_t p = a->mean[at], q = b->mean[at];
            all[0] += p, all[1] += q, all[2] += p * p, all[3] += q * q, all[4] += p * q;
        }
    for (int i = 0; i < 5; i++) sum[i] = (double)all[i] / count;
    const double p = sum[2] - sum[0] * sum[0], q = sum[3] - sum[1] * sum[1];
    if (p < 4 * square || q < 4 * square || count < STATS_CELL) return NAN;
    return 1 - (sum[4] - sum[0] * sum[1]) / sqrt(p * q);
}

/* Returns the range of a tile's cells, in codes. */
static int range_of(const struct frame_stats *stats, uint32_t x, uint32_t y)
{
    int low = INT16_MAX, high = INT16_MIN;
    for (uint32_t j = y; j < y + STATS_CELL && j < stats->down; j++)
        for (uint32_t i = x; i < x + STATS_CELL && i < stats->across; i++) {
            const int mean = stats->mean[(size_t)j * stats->across + i];
            low = mean < low ? mean : low;
            high = mean > high ? mean : high;
        }
    return high - low;
}

/* Returns how different the textures of two frames are, whatever their light. This is the mean of 1
 * - r over tiles with texture in both, from 0 to 2; 2 if hardly any have. */
static double unlike(const struct frame_stats *a, const struct frame_stats *b)
{
    double sum = 0;
    uint32_t count = 0, tiles = 0;
    for (uint32_t y = 0; y < a->down; y += STATS_CELL)
        for (uint32_t x = 0; x < a->across; x += STATS_CELL, tiles++) {
            const double tile = consistency_tile(a, b, x, y);
            if (!isnan(tile)) sum += tile, count++;
        }
    return 10 * count > tiles ? sum / count : 2;
}

/* Returns the share of cells that would have to change their light, in 16 steps, for the
 * distribution of the other frame. */
static double spread_apart(const struct frame_stats *a, const struct frame_stats *b)
{
    enum { BINS = 16 };
    const size_t cells = (size_t)a->across * a->down;
    int64_t bin[BINS] = {0}, apart = 0;
    for (size_t i = 0; i < cells; i++) bin[a->mean[i] >> 11]++, bin[b->mean[i] >> 11]--;
    for (int i = 0; i < BINS; i++) apart += llabs(bin[i]);
    return (double)apart / 2 / (double)(cells + 1);
}

bool temporal_one_scene(const struct frame_stats *a, const struct frame_stats *b)
{
    return a->across == b->across && a->down == b->down &&
           (unlike(a, b) < 0.4 || spread_apart(a, b) < 0.25);
}

/* Returns whether all differences from both others are brighter, or all are darker: a flash, which
 * also clips textures. */
static bool is_other_light(const struct temporal *temporal)
{
    const struct frame_stats *now = temporal->now, *a = temporal->other[0], *c = temporal->other[1];
    const size_t cells = (size_t)now->across * now->down;
    const int much = (int)(4 * now->level);
    size_t up = 0, down = 0;
    for (size_t i = 0; i < cells; i++) {
        up += now->mean[i] - a->mean[i] > much && now->mean[i] - c->mean[i] > much;
        down += a->mean[i] - now->mean[i] > much && c->mean[i] - now->mean[i] > much;
    }
    return 10 * (up < down ? up : down) < (up < down ? down : up) && 10 * (up + down) > 3 * cells;
}

/* Returns whether a tile is brighter than in both others (1), or darker (-1). */
static int light_of(const struct temporal *temporal, uint32_t x, uint32_t y)
{
    const struct frame_stats *now = temporal->now, *a = temporal->other[0], *c = temporal->other[1];
    const double much = 2 * now->level; /* a change that one can see */
    double up = 0, down = 0;
    int count = 0;
    for (uint32_t j = y; j < y + STATS_CELL && j < now->down; j++)
        for (uint32_t i = x; i < x + STATS_CELL && i < now->across; i++, count++) {
            const size_t at = (size_t)j * now->across + i;
            up += now->mean[at] - (a->mean[at] > c->mean[at] ? a->mean[at] : c->mean[at]);
            down += now->mean[at] - (a->mean[at] < c->mean[at] ? a->mean[at] : c->mean[at]);
        }
    return up > much * count ? 1 : down < -much * count ? -1 : 0;
}

/* Returns whether a change of a tile has not wholly gone in the next frame, as when fire breaks
 * out. Nothing is left of a fault. */
static bool leaves_a_trace(const struct temporal *temporal, uint32_t x, uint32_t y)
{
    const double least = 0.1; /* of the change */
    const struct frame_stats *now = temporal->now, *a = temporal->other[0], *c = temporal->other[1];
    double change = 0, left = 0;
    for (uint32_t j = y; j < y + STATS_CELL && j < now->down; j++)
        for (uint32_t i = x; i < x + STATS_CELL && i < now->across; i++) {
            const size_t at = (size_t)j * now->across + i;
            const double by = now->mean[at] - a->mean[at];
            change += by * by, left += by * (c->mean[at] - a->mean[at]);
        }
    return left > least * change;
}

struct temporal_tiles temporal_compare(const struct temporal *temporal)
{
    const struct frame_stats *now = temporal->now, *a = temporal->other[0], *c = temporal->other[1];
    struct temporal_tiles out = {0};
    for (uint32_t y = 0; y < now->down; y += STATS_CELL)
        for (uint32_t x = 0; x < now->across; x += STATS_CELL, out.tiles++) {
            const double to_a = consistency_tile(a, now, x, y),
                         to_c = consistency_tile(now, c, x, y),
                         others = consistency_tile(a, c, x, y), nearer = fmin(to_a, to_c);
            if (isnan(others)) continue;
            if (isnan(to_a) || isnan(to_c)) {
                out.lost += others < LIKE && range_of(now, x, y) < LOST * range_of(a, x, y);
                continue;
            }
            const int light = light_of(temporal, x, y);
            out.textured++;
            out.apart += nearer;
            if (light != 0) out.relit[light > 0]++;
            const bool strange = nearer > 2.5 * others + 0.02;
            out.strange += strange;
            out.traces += strange && others < STEADY && leaves_a_trace(temporal, x, y);
        }
    return out;
}

/* Returns whether a frame shows the picture of the others, whatever its light. */
static bool shows_picture(const struct temporal_tiles *out)
{
    return 10 * out->textured > out->tiles && out->apart < LIKE * out->textured;
}

bool temporal_is_relit(const struct temporal_tiles *tiles)
{
    const uint32_t relit = tiles->relit[0] > tiles->relit[1] ? tiles->relit[0] : tiles->relit[1];
    return shows_picture(tiles) && tiles->lost <= tiles->textured &&
           10 * relit > 6 * tiles->textured;
}

double temporal_outlier(const struct temporal *temporal, const struct temporal_tiles *tiles)
{
    const uint32_t judged = tiles->textured + tiles->lost;
    if (5 * judged <= tiles->tiles || (is_other_light(temporal) && shows_picture(tiles))) return 0;
    const uint32_t strange = tiles->strange + tiles->lost;
    return (double)(strange - (10 * strange < judged ? tiles->traces : 0)) / judged;
}
