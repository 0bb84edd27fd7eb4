#include "detect/temporal.h"

#include "detect/frame/flat_areas.h"

#include <math.h>
#include <stdlib.h>

bool temporal_compares(const struct temporal *temporal)
{
    bool same = true;
    for (int o = 0; o < 2; o++) {
        const struct frame_stats *a = temporal->now, *b = temporal->other[o];
        same = same && a->width == b->width && a->height == b->height &&
               a->channels == b->channels && a->bits == b->bits;
    }
    return same;
}

#define STEADY 0.05 /* 1 - r of a tile that hardly moves */
#define LOST 0.6    /* share of the range of a tile, below which its texture is lost */
#define LIKE 0.5    /* 1 - r, below which two pictures show the same in any light */

/* ---- Flat areas ------------------------------------------------------------------------------ */

/* Returns whether a frame has an area of the same size and colour anywhere: then it is a moving
 * object. */
static bool has_such_part(const struct frame_stats *stats, const struct coded_area *part)
{
    bool has = false;
    for (uint32_t i = 0; i < stats->parts && !has; i++)
        has = labs((long)stats->part[i].width - (long)part->width) <= 2 &&
              labs((long)stats->part[i].height - (long)part->height) <= 2 &&
              abs(stats->part[i].code - part->code) <= fmax(stats->level, 2 * stats->tolerance);
    return has;
}

enum {
    FAINT = 5, /* levels by which an area must differ: codecs leave fainter ones */
    FAST = 10 /* levels between the neighbours; above it, a codec itself makes such areas of motion;
                 above twice as many, no frame is judged */
};

/* The cells inside an area in three frames, in levels. */
struct inside {
    double of_others; /* mean distance of the two others */
    double of_now;    /* mean distance of the frame and the nearer other */
    double alike;     /* share of cells that are the same in one of the others */
};

static struct inside look_inside(const struct temporal *temporal, const struct coded_area *part)
{
    const struct frame_stats *now = temporal->now, *a = temporal->other[0], *c = temporal->other[1];
    struct inside inside = {0};
    double to_a = 0, to_c = 0;
    uint32_t cells = 0;
    for (uint32_t y = (part->y + 7) / 8; (y + 1) * 8 <= part->y + part->height; y++)
        for (uint32_t x = (part->x + 7) / 8; (x + 1) * 8 <= part->x + part->width; x++, cells++) {
            const size_t at = (size_t)y * now->across + x;
            const double from_a = abs(now->mean[at] - a->mean[at]) / now->level,
                         from_c = abs(now->mean[at] - c->mean[at]) / now->level;
            inside.of_others += abs(a->mean[at] - c->mean[at]) / now->level;
            to_a += from_a, to_c += from_c;
            inside.alike += (from_a < 1 && a->step[at] < 8) || (from_c < 1 && c->step[at] < 8);
        }
    if (cells == 0) return (struct inside){.alike = 1};
    inside.of_others /= cells;
    inside.alike /= cells;
    inside.of_now = fmin(to_a, to_c) / cells;
    return inside;
}

/* Returns whether the inside of an area differs from both others, which are similar. */
static bool is_new(const struct frame_stats *now, const struct inside *inside)
{
    const bool coded = now->tolerance > 0;
    return inside->alike <= 0.25 &&
           inside->of_now >= 2 * inside->of_others + (coded ? 3 : 1) * FAINT &&
           !(coded && inside->of_others > FAINT);
}

void temporal_blocks(const struct temporal *temporal, struct findings *list)
{
    const struct frame_stats *now = temporal->now;
    const double moves = temporal_distance(temporal->other[0], temporal->other[1]);
    if (moves > (now->tolerance > 0 ? 1 : 2) * FAST) return;
    for (uint32_t i = 0; i < now->parts; i++) {
        const struct coded_area *part = &now->part[i];
        const struct finding_place place = {part->x, part->y, part->width, part->height};
        if (has_such_part(temporal->other[0], part) || has_such_part(temporal->other[1], part))
            continue;
        const struct inside inside = look_inside(temporal, part);
        if (!is_new(now, &inside)) continue;
        const double level = part->code / now->level;
        findings_add(list, FINDING_FLAT_AREA, place, level,
                     "a rectangle of one colour (level %.0f of 255), only in this frame", level);
    }
}

/* ---- Rows ------------------------------------------------------------------------------------ */

enum {
    REACH = 8,       /* rows by which a texture may have moved */
    ROUGH = 64,      /* units of a level in `rough` */
    NOISE_LEAST = 3, /* rows of garbage, and of one colour: fewer are a line of the picture */
    FLAT_LEAST = 4,
    FLAT_REACH = 64 /* no row of one colour may be so near */
};

/* Returns the largest value of a frame's rows around one. */
static uint32_t around(const uint16_t *rough, uint32_t height, uint32_t y, uint32_t reach)
{
    uint32_t most = 0;
    const uint32_t end = y + reach < height ? y + reach : height - 1;
    for (uint32_t i = y > reach ? y - reach : 0; i <= end; i++)
        if (rough[i] > most) most = rough[i];
    return most;
}

static uint32_t larger(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* Returns whether a row is far rougher than the others' rows around it, and rougher than all of
 * them. */
static bool is_noise(const struct temporal *temporal, uint32_t y, uint32_t roughest)
{
    const struct frame_stats *now = temporal->now;
    uint32_t most = 0;
    if (now->rough[y] < roughest + roughest / 10 || now->rough[y] < 8 * ROUGH) return false;
    for (int o = 0; o < 2; o++)
        most = larger(most, around(temporal->other[o]->rough, now->height, y, REACH));
    return now->rough[y] > 2 * most + most / 2;
}

/* Returns whether a row has one colour, which a codec hardly changes along the row. */
static bool is_flat(const struct frame_stats *stats, uint32_t y)
{
    return stats->rough[y] <= (stats->tolerance > 0 ? ROUGH * 3 / 4 : 0);
}

/* Returns whether a row has one colour where the others have texture, and no row of one colour
 * nearby. So rolling titles do not count. */
static bool is_empty(const struct temporal *temporal, uint32_t y)
{
    const struct frame_stats *now = temporal->now;
    if (!is_flat(now, y)) return false;
    const uint32_t end = y + FLAT_REACH < now->height ? y + FLAT_REACH : now->height - 1;
    for (int o = 0; o < 2; o++) {
        if (temporal->other[o]->rough[y] < (now->tolerance > 0 ? 3 : 1) * ROUGH) return false;
        for (uint32_t i = y > FLAT_REACH ? y - FLAT_REACH : 0; i <= end; i++)
            if (is_flat(temporal->other[o], i)) return false;
    }
    return true;
}

/* Returns whether these rows belong to so many of one colour that they are an area (areas.c). */
static bool is_area(const struct frame_stats *now, uint32_t y, uint32_t rows)
{
    uint32_t end = y + rows;
    while (y > 0 && is_flat(now, y - 1)) y--;
    while (end < now->height && is_flat(now, end)) end++;
    return now->tolerance == 0 && end - y >= STATS_CELL;
}

static void add_band(const struct temporal *temporal, uint32_t y, uint32_t rows, bool noise,
                     struct findings *list)
{
    const struct frame_stats *now = temporal->now;
    const uint32_t least = noise ? NOISE_LEAST + temporal->outer : FLAT_LEAST;
    if (rows < least || rows > now->height / 4) return;
    if (!noise && is_area(now, y, rows)) return;
    findings_add(list, noise ? FINDING_GARBAGE : FINDING_FLAT_AREA,
                 (struct finding_place){0, y, now->width, rows}, rows,
                 noise ? "%u rows of garbage, only in this frame"
                       : "%u rows of one colour, only in this frame",
                 rows);
}

void temporal_bands(const struct temporal *temporal, struct findings *list)
{
    const struct frame_stats *now = temporal->now;
    uint32_t roughest = 0, run[2] = {0, 0};
    if (now->flat || now->width < PARTS_LEAST) return;
    for (int o = 0; o < 2; o++)
        roughest = larger(roughest, around(temporal->other[o]->rough, now->height, 0, now->height));
    for (uint32_t y = 0; y < now->height; y++) {
        const bool is[2] = {is_empty(temporal, y), is_noise(temporal, y, roughest)};
        for (int k = 0; k < 2; k++) {
            if (!is[k] && run[k] > 0) add_band(temporal, y - run[k], run[k], k == 1, list);
            run[k] = is[k] ? run[k] + 1 : 0;
        }
    }
    for (int k = 0; k < 2; k++) add_band(temporal, now->height - run[k], run[k], k == 1, list);
}

/* ---- Pixels ---------------------------------------------------------------------------------- */

/* Returns whether a frame has such a pixel there, or one that stands out half as much. */
static bool has_pixel(const struct frame_stats *stats, const struct stats_pixel *pixel)
{
    bool has = false;
    for (uint32_t i = 0; i < stats->pixels && !has; i++) {
        const struct stats_pixel *other = &stats->pixel[i];
        has = labs((long)other->x - (long)pixel->x) <= 1 &&
              labs((long)other->y - (long)pixel->y) <= 1 && (other->by > 0) == (pixel->by > 0) &&
              2 * abs(other->by) >= abs(pixel->by);
    }
    return has;
}

/* Returns the largest step of a frame around a place, in levels. At the end of a cell's scale, 32
 * levels, the step may be larger. */
static double texture(const struct frame_stats *stats, const struct stats_pixel *pixel)
{
    const uint32_t x = pixel->x / STATS_CELL, y = pixel->y / STATS_CELL;
    uint8_t most = 0;
    for (uint32_t j = y > 0 ? y - 1 : 0; j <= y + 1 && j < stats->down; j++)
        for (uint32_t i = x > 0 ? x - 1 : 0; i <= x + 1 && i < stats->across; i++) {
            const uint8_t step = stats->step[(size_t)j * stats->across + i];
            if (step > most) most = step;
        }
    return most < UINT8_MAX ? most / 8.0 : 72;
}

double temporal_pixel(const struct temporal *temporal, struct stats_pixel *found)
{
    const struct frame_stats *now = temporal->now, *a = temporal->other[0], *c = temporal->other[1];
    double most = 0;
    for (uint32_t i = 0; i < now->pixels; i++) {
        const struct stats_pixel *pixel = &now->pixel[i];
        const double by = abs(pixel->by) / now->level;
        if (has_pixel(a, pixel) || has_pixel(c, pixel)) continue;
        const double beyond = by - fmax(texture(a, pixel), texture(c, pixel));
        if (beyond > most) most = beyond, *found = *pixel;
    }
    return most;
}

/* ---- Whole frames ---------------------------------------------------------------------------- */

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
