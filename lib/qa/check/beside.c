#include "check/beside.h"

#include "check/parts.h"

#include <math.h>
#include <stdlib.h>

bool beside_compares(const struct beside *beside)
{
    bool same = true;
    for (int o = 0; o < 2; o++) {
        const struct seen *a = beside->now, *b = beside->other[o];
        same = same && a->width == b->width && a->height == b->height &&
               a->channels == b->channels && a->bits == b->bits;
    }
    return same;
}

bool beside_is_flash(const struct beside *beside)
{
    const struct seen *now = beside->now, *a = beside->other[0], *c = beside->other[1];
    const size_t cells = (size_t)now->across * now->down;
    const int much = (int)(8 * now->level);
    size_t changed = 0;
    for (size_t i = 0; i < cells; i++)
        changed += abs(now->mean[i] - a->mean[i]) > much && abs(now->mean[i] - c->mean[i]) > much;
    return 10 * changed > 6 * cells;
}

/* ---- Parts of one colour --------------------------------------------------------------------- */

/* Returns whether a frame has a part of the same size and colour anywhere: then it is an object
 * that moves. */
static bool has_such_part(const struct seen *seen, const struct seen_part *part)
{
    bool has = false;
    for (uint32_t i = 0; i < seen->parts && !has; i++)
        has = labs((long)seen->part[i].width - (long)part->width) <= 2 &&
              labs((long)seen->part[i].height - (long)part->height) <= 2 &&
              abs(seen->part[i].code - part->code) <= fmax(seen->level, 2 * seen->tolerance);
    return has;
}

enum {
    FAINT = 5, /* levels by which a part must differ: codecs leave fainter ones */
    FAST = 10  /* levels between the frames beside one of a codec, which makes parts of what moves
                * so; twice as much says nothing of any frame */
};

/* What the cells inside a part have in three frames, in levels. */
struct inside {
    double of_others; /* mean distance of the two others */
    double of_now;    /* mean distance of the frame and the other that is nearer */
    double alike;     /* share of cells that are as in the frame in one of the others */
};

static struct inside look_inside(const struct beside *beside, const struct seen_part *part)
{
    const struct seen *now = beside->now, *a = beside->other[0], *c = beside->other[1];
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

/* Returns whether what is inside a part is another than in both others, which are alike. */
static bool is_new(const struct seen *now, const struct inside *inside)
{
    const bool coded = now->tolerance > 0;
    return inside->alike <= 0.25 &&
           inside->of_now >= 2 * inside->of_others + (coded ? 3 : 1) * FAINT &&
           !(coded && inside->of_others > FAINT);
}

void beside_blocks(const struct beside *beside, struct findings_list *list)
{
    const struct seen *now = beside->now;
    const double moves = beside_distance(beside->other[0], beside->other[1]);
    if (moves > (now->tolerance > 0 ? 1 : 2) * FAST) return;
    for (uint32_t i = 0; i < now->parts; i++) {
        const struct seen_part *part = &now->part[i];
        const struct check_place place = {part->x, part->y, part->width, part->height};
        if (has_such_part(beside->other[0], part) || has_such_part(beside->other[1], part))
            continue;
        const struct inside inside = look_inside(beside, part);
        if (!is_new(now, &inside)) continue;
        const double level = part->code / now->level;
        findings_add(list, CHECK_BLOCK, place, level,
                     "a rectangle of one colour (level %.0f of 255), which the frames beside it do "
                     "not have",
                     level);
    }
}

/* ---- Rows ------------------------------------------------------------------------------------ */

enum {
    REACH = 8,       /* rows by which a texture may have moved */
    ROUGH = 64,      /* units of a level in `rough` */
    NOISE_LEAST = 3, /* rows of garbage, and of one colour: fewer are a line of the picture */
    FLAT_LEAST = 4,
    FLAT_REACH = 64 /* rows around that have none of one colour */
};

/* Returns the largest of a frame's rows around one. */
static uint32_t around(const uint16_t *rough, uint32_t height, uint32_t y, uint32_t reach)
{
    uint32_t most = 0;
    const uint32_t end = y + reach < height ? y + reach : height - 1;
    for (uint32_t i = y > reach ? y - reach : 0; i <= end; i++)
        if (rough[i] > most) most = rough[i];
    return most;
}

static uint32_t larger(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* Returns whether a row is rougher than the others' rows around it by far, and than all of them. */
static bool is_noise(const struct beside *beside, uint32_t y, uint32_t roughest)
{
    const struct seen *now = beside->now;
    uint32_t most = 0;
    if (now->rough[y] < roughest + roughest / 10 || now->rough[y] < 8 * ROUGH) return false;
    for (int o = 0; o < 2; o++)
        most = larger(most, around(beside->other[o]->rough, now->height, y, REACH));
    return now->rough[y] > 2 * most + most / 2;
}

/* Returns whether a row is of one colour, which a codec hardly changes along a row. */
static bool is_flat(const struct seen *seen, uint32_t y)
{
    return seen->rough[y] <= (seen->tolerance > 0 ? ROUGH * 3 / 4 : 0);
}

/* Returns whether a row is of one colour where the others have a texture, and no row of one colour
 * around. So a title that rolls is none. */
static bool is_empty(const struct beside *beside, uint32_t y)
{
    const struct seen *now = beside->now;
    if (!is_flat(now, y)) return false;
    const uint32_t end = y + FLAT_REACH < now->height ? y + FLAT_REACH : now->height - 1;
    for (int o = 0; o < 2; o++) {
        if (beside->other[o]->rough[y] < (now->tolerance > 0 ? 3 : 1) * ROUGH) return false;
        for (uint32_t i = y > FLAT_REACH ? y - FLAT_REACH : 0; i <= end; i++)
            if (is_flat(beside->other[o], i)) return false;
    }
    return true;
}

static void add_band(const struct beside *beside, uint32_t y, uint32_t rows, bool noise,
                     struct findings_list *list)
{
    const struct seen *now = beside->now;
    if (rows < (uint32_t)(noise ? NOISE_LEAST : FLAT_LEAST) || rows > now->height / 4) return;
    findings_add(list, CHECK_BAND, (struct check_place){0, y, now->width, rows}, rows,
                 noise ? "%u rows of garbage, which the frames beside it do not have"
                       : "%u rows of one colour, which the frames beside it do not have",
                 rows);
}

void beside_bands(const struct beside *beside, struct findings_list *list)
{
    const struct seen *now = beside->now;
    uint32_t roughest = 0, run[2] = {0, 0};
    if (now->flat || now->width < PARTS_LEAST) return;
    for (int o = 0; o < 2; o++)
        roughest = larger(roughest, around(beside->other[o]->rough, now->height, 0, now->height));
    for (uint32_t y = 0; y < now->height; y++) {
        const bool is[2] = {is_empty(beside, y), is_noise(beside, y, roughest)};
        for (int k = 0; k < 2; k++) {
            if (!is[k] && run[k] > 0) add_band(beside, y - run[k], run[k], k == 1, list);
            run[k] = is[k] ? run[k] + 1 : 0;
        }
    }
    for (int k = 0; k < 2; k++) add_band(beside, now->height - run[k], run[k], k == 1, list);
}

/* ---- Pixels ---------------------------------------------------------------------------------- */

/* Returns whether a frame has such a pixel there, or one that stands out half as much. */
static bool has_pixel(const struct seen *seen, const struct seen_pixel *pixel)
{
    bool has = false;
    for (uint32_t i = 0; i < seen->pixels && !has; i++) {
        const struct seen_pixel *own = &seen->pixel[i];
        has = labs((long)own->x - (long)pixel->x) <= 1 &&
              labs((long)own->y - (long)pixel->y) <= 1 && (own->by > 0) == (pixel->by > 0) &&
              2 * abs(own->by) >= abs(pixel->by);
    }
    return has;
}

/* Returns the largest step that a frame has around a place, in levels. A cell that has reached the
 * end of its scale, 32 levels, may have any. */
static double texture(const struct seen *seen, const struct seen_pixel *pixel)
{
    const uint32_t x = pixel->x / SEEN_CELL, y = pixel->y / SEEN_CELL;
    uint8_t most = 0;
    for (uint32_t j = y > 0 ? y - 1 : 0; j <= y + 1 && j < seen->down; j++)
        for (uint32_t i = x > 0 ? x - 1 : 0; i <= x + 1 && i < seen->across; i++) {
            const uint8_t step = seen->step[(size_t)j * seen->across + i];
            if (step > most) most = step;
        }
    return most < UINT8_MAX ? most / 8.0 : 72;
}

double beside_pixel(const struct beside *beside, struct seen_pixel *found)
{
    const struct seen *now = beside->now, *a = beside->other[0], *c = beside->other[1];
    double most = 0;
    for (uint32_t i = 0; i < now->pixels; i++) {
        const struct seen_pixel *pixel = &now->pixel[i];
        const double by = abs(pixel->by) / now->level;
        if (by <= most || has_pixel(a, pixel) || has_pixel(c, pixel)) continue;
        const double beyond = by - fmax(texture(a, pixel), texture(c, pixel));
        if (beyond > most) most = beyond, *found = *pixel;
    }
    return most;
}

/* ---- Whole frames ---------------------------------------------------------------------------- */

double beside_distance(const struct seen *a, const struct seen *b)
{
    const size_t cells = (size_t)a->across * a->down;
    uint64_t sum = 0;
    if (a->across != b->across || a->down != b->down || cells == 0) return SEEN_LEVELS;
    for (size_t i = 0; i < cells; i++) sum += (uint32_t)abs(a->mean[i] - b->mean[i]);
    return (double)sum / (double)cells / a->level;
}

/* Returns 1 - r of two tiles of 8 x 8 cells; NAN: one of them has no texture. */
static double unlike_tile(const struct seen *a, const struct seen *b, uint32_t x, uint32_t y)
{
    double sum[5] = {0};
    int count = 0;
    for (uint32_t j = y; j < y + SEEN_CELL && j < a->down; j++)
        for (uint32_t i = x; i < x + SEEN_CELL && i < a->across; i++, count++) {
            const size_t at = (size_t)j * a->across + i;
            const double p = a->mean[at] / a->level, q = b->mean[at] / b->level;
            sum[0] += p, sum[1] += q, sum[2] += p * p, sum[3] += q * q, sum[4] += p * q;
        }
    for (int i = 0; i < 5; i++) sum[i] /= count;
    const double p = sum[2] - sum[0] * sum[0], q = sum[3] - sum[1] * sum[1];
    if (p < 4 || q < 4 || count < SEEN_CELL) return NAN;
    return 1 - (sum[4] - sum[0] * sum[1]) / sqrt(p * q);
}

/* Returns how unlike the texture of two frames is, whatever their light: the mean of 1 - r over
 * tiles that have texture in both, from 0 to 2; 2 if hardly any have. */
static double unlike(const struct seen *a, const struct seen *b)
{
    double sum = 0;
    uint32_t count = 0, tiles = 0;
    for (uint32_t y = 0; y < a->down; y += SEEN_CELL)
        for (uint32_t x = 0; x < a->across; x += SEEN_CELL, tiles++) {
            const double tile = unlike_tile(a, b, x, y);
            if (!isnan(tile)) sum += tile, count++;
        }
    return 10 * count > tiles ? sum / count : 2;
}

/* Returns the share of cells that would have to change their light, in 16 steps, to be spread as
 * those of the other frame. */
static double spread_apart(const struct seen *a, const struct seen *b)
{
    enum { BINS = 16 };
    const size_t cells = (size_t)a->across * a->down;
    int64_t bin[BINS] = {0}, apart = 0;
    for (size_t i = 0; i < cells; i++) bin[a->mean[i] >> 11]++, bin[b->mean[i] >> 11]--;
    for (int i = 0; i < BINS; i++) apart += llabs(bin[i]);
    return (double)apart / 2 / (double)(cells + 1);
}

bool beside_one_scene(const struct seen *a, const struct seen *b)
{
    return a->across == b->across && a->down == b->down &&
           (unlike(a, b) < 0.4 || spread_apart(a, b) < 0.25);
}

/* Returns whether all that differs from both others is brighter, or all is darker: a flash, which
 * clips textures, too. */
static bool is_other_light(const struct beside *beside)
{
    const struct seen *now = beside->now, *a = beside->other[0], *c = beside->other[1];
    const size_t cells = (size_t)now->across * now->down;
    const int much = (int)(4 * now->level);
    size_t up = 0, down = 0;
    for (size_t i = 0; i < cells; i++) {
        up += now->mean[i] - a->mean[i] > much && now->mean[i] - c->mean[i] > much;
        down += a->mean[i] - now->mean[i] > much && c->mean[i] - now->mean[i] > much;
    }
    return 10 * (up < down ? up : down) < (up < down ? down : up) && 10 * (up + down) > 3 * cells;
}

double beside_stranger(const struct beside *beside)
{
    const struct seen *now = beside->now, *a = beside->other[0], *c = beside->other[1];
    if (is_other_light(beside)) return 0;
    uint32_t strange = 0, count = 0, tiles = 0;
    for (uint32_t y = 0; y < now->down; y += SEEN_CELL)
        for (uint32_t x = 0; x < now->across; x += SEEN_CELL, tiles++) {
            const double to_a = unlike_tile(a, now, x, y), to_c = unlike_tile(now, c, x, y),
                         others = unlike_tile(a, c, x, y);
            if (isnan(to_a) || isnan(to_c) || isnan(others)) continue;
            count++;
            strange += fmin(to_a, to_c) > 2.5 * others + 0.02;
        }
    return 5 * count > tiles ? (double)strange / count : 0;
}
