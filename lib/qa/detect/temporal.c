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
