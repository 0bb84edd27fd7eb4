#include "learned/ignored.h"

#include "mean.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REACH = 5 /* pixels from the centre of a window to its edge */ };

bool ignored_make(const struct learned_tiles *tiles, struct ignored_tiles *ignored)
{
    const ssimcu_tiles *first = tiles->tiles;
    *ignored = (struct ignored_tiles){.all = first->columns * first->rows};
    ignored->tile = calloc(ignored->all, 1);
    return ignored->tile != NULL;
}

/* Tiles along one axis that pixels touch: from `first`, before `end`. */
struct span {
    uint32_t first, end;
};

/* Finds the tiles of `side` pixels whose windows touch any of `length` pixels from `from` on.
 * `step`: pixels per sample of the coarsest plane, whose windows reach that much further. A side is
 * a multiple of `step`, so a sample that is ignored in part needs no rounding. */
static struct span touched(uint32_t from, uint32_t length, uint32_t step, uint32_t side,
                           uint32_t count)
{
    const uint64_t reach = (uint64_t)REACH * step, end = (uint64_t)from + length + reach;
    const uint64_t first = from < reach ? 0 : (from - reach) / side, last = (end - 1) / side;
    return (struct span){first < count ? (uint32_t)first : count,
                         last < count ? (uint32_t)last + 1 : count};
}

/* Leaves out a tile, unless that is done already. */
static void leave_out(const struct learned_tiles *tiles, uint32_t column, uint32_t row,
                      struct ignored_tiles *ignored)
{
    const ssimcu_tiles *first = tiles->tiles;
    unsigned char *tile = &ignored->tile[(size_t)row * first->columns + column];
    const double pixels = learned_tile_pixels(tiles, 0, column, row);
    if (*tile) return;
    *tile = 1;
    ignored->count++;
    ignored->share += pixels / ((double)tiles->width[0] * tiles->height[0]);
}

/* Clips the length from *from on to [start, start + size), and counts from there. */
static uint32_t clip(uint32_t *from, uint32_t length, uint32_t start, uint32_t size)
{
    const uint64_t low = *from > start ? *from : start, far = (uint64_t)*from + length,
                   high = far < (uint64_t)start + size ? far : (uint64_t)start + size;
    *from = (uint32_t)(low - start);
    return high > low ? (uint32_t)(high - low) : 0;
}

/* Extends the length from *from on at both ends. */
static uint32_t widen(uint32_t *from, uint32_t length, uint32_t spread)
{
    const uint64_t end = (uint64_t)*from + length + spread;
    *from -= spread < *from ? spread : *from;
    return end - *from < UINT32_MAX ? (uint32_t)(end - *from) : UINT32_MAX;
}

void ignored_add(const struct ignored_areas *parts, uint32_t x, uint32_t y,
                 const uint32_t spread[2], const struct learned_tiles *tiles,
                 struct ignored_tiles *ignored)
{
    const ssimcu_tiles *first = tiles->tiles;
    uint32_t across = 1, down = 1;
    for (uint32_t p = 1; p < tiles->planes; p++) {
        const uint32_t wide = learned_divide_up(tiles->width[0], tiles->width[p]),
                       high = learned_divide_up(tiles->height[0], tiles->height[p]);
        across = wide > across ? wide : across;
        down = high > down ? high : down;
    }
    for (size_t i = 0; i < parts->count; i++) {
        struct ignored_rect rect = parts->rect[i];
        rect.width = widen(&rect.x, rect.width, spread[0]);
        rect.height = widen(&rect.y, rect.height, spread[1]);
        rect.width = clip(&rect.x, rect.width, x, tiles->width[0]);
        rect.height = clip(&rect.y, rect.height, y, tiles->height[0]);
        if (rect.width == 0 || rect.height == 0) continue;
        const struct span columns =
            touched(rect.x, rect.width, across, first->width, first->columns);
        const struct span rows = touched(rect.y, rect.height, down, first->height, first->rows);
        for (uint32_t row = rows.first; row < rows.end; row++)
            for (uint32_t column = columns.first; column < columns.end; column++)
                leave_out(tiles, column, row, ignored);
    }
}

/* Returns how many of `positions` windows along an axis have their centre in a tile. */
static uint32_t windows_in(uint32_t tile, uint32_t side, uint32_t border, uint32_t positions)
{
    const uint64_t from = (uint64_t)tile * side, to = from + side;
    const uint64_t first = from < border ? 0 : from - border;
    const uint64_t end = to - border < positions ? to - border : positions;
    return end > first ? (uint32_t)(end - first) : 0;
}

/* The remaining numbers of a plane. */
struct rest {
    double sum, windows, pixels;
    int all_are_1;
};

static struct rest rest_of(const struct learned_tiles *tiles, uint32_t p,
                           const struct ignored_tiles *ignored)
{
    const ssimcu_tiles *plane = &tiles->tiles[p];
    const uint32_t border = tiles->border, width = tiles->width[p] - 2 * border,
                   height = tiles->height[p] - 2 * border;
    struct rest rest = {.all_are_1 = 1};
    for (uint32_t row = 0; row < plane->rows; row++)
        for (uint32_t column = 0; column < plane->columns; column++) {
            if (ignored->tile[(size_t)row * tiles->tiles->columns + column]) continue;
            const double score = plane->data[(size_t)row * plane->columns + column];
            const double windows = (double)windows_in(column, plane->width, border, width) *
                                   windows_in(row, plane->height, border, height);
            rest.sum += score * windows;
            rest.windows += windows;
            rest.pixels += learned_tile_pixels(tiles, p, column, row);
            rest.all_are_1 &= score == 1;
        }
    return rest;
}

static ssimcu_tile tile_at(const struct learned_tiles *tiles, uint32_t at)
{
    const ssimcu_tiles *first = tiles->tiles;
    const uint32_t column = at % first->columns, row = at / first->columns;
    return (ssimcu_tile){
        .score = learned_tile_score(tiles, column, row),
        .x = column * first->width,
        .y = row * first->height,
        .width = learned_least(first->width, tiles->width[0] - column * first->width),
        .height = learned_least(first->height, tiles->height[0] - row * first->height)};
}

static ssimcu_tile find_worst(const struct learned_tiles *tiles,
                              const struct ignored_tiles *ignored, int all_are_1)
{
    ssimcu_tile worst = {0};
    for (uint32_t i = 0; i < ignored->all; i++) {
        const ssimcu_tile tile = tile_at(tiles, i);
        if (!ignored->tile[i] && (worst.width == 0 || tile.score < worst.score)) worst = tile;
    }
    worst.score = ssimcu_mean_of(worst.score, all_are_1);
    return worst;
}

/* Finds the largest level shift, in the order of planes, channels and tiles, as the core does. */
static ssimcu_level_shift find_shift(const struct learned_tiles *tiles,
                                     const struct ignored_tiles *ignored, uint32_t channels)
{
    const uint32_t across = tiles->tiles->columns, in_plane = tiles->planes > 1 ? 1 : channels;
    ssimcu_level_shift largest = {0};
    for (uint32_t p = 0; p < tiles->planes; p++) {
        const ssimcu_tiles *plane = &tiles->tiles[p];
        const uint32_t count = plane->columns * plane->rows;
        for (uint32_t i = 0; i < count * in_plane; i++) {
            const uint32_t at = i % count / plane->columns * across + i % count % plane->columns;
            const bool larger =
                largest.width == 0 || fabs(plane->level_shift[i]) > fabs(largest.levels);
            if (ignored->tile[at] || !larger) continue;
            const ssimcu_tile tile = tile_at(tiles, at);
            largest = (ssimcu_level_shift){
                plane->level_shift[i], p + i / count, tile.x, tile.y, tile.width, tile.height};
        }
    }
    return largest;
}

bool ignored_score(const struct learned_tiles *tiles, const struct ignored_tiles *ignored,
                   ssimcu_score *score)
{
    double channel[3] = {0}, sum = 0, pixels = 0;
    int all_are_1 = 1;
    for (uint32_t p = 0; p < tiles->planes; p++) {
        const struct rest rest = rest_of(tiles, p, ignored);
        if (rest.windows == 0) return false;
        channel[p] = ssimcu_mean_of(rest.sum / rest.windows, rest.all_are_1);
        sum += channel[p] * rest.pixels;
        pixels += rest.pixels;
        all_are_1 &= rest.all_are_1;
    }
    score->score = tiles->planes > 1 ? ssimcu_mean_of(sum / pixels, all_are_1) : channel[0];
    const bool joined = tiles->planes == 1 && score->channels > 1;
    for (uint32_t c = 0; c < 3; c++) score->channel[c] = joined ? 0 : channel[c];
    score->worst = find_worst(tiles, ignored, score->score == 1);
    score->level_shift = find_shift(tiles, ignored, score->channels);
    return true;
}

bool ignored_values(const struct learned_tiles *tiles, const struct ignored_tiles *ignored,
                    uint32_t channels, struct learned_values *values)
{
    if (!learned_values_make(tiles, channels, values)) return false;
    if (ignored->count == 0) return true;
    values->ignored = malloc(ignored->all);
    if (values->ignored) {
        memcpy(values->ignored, ignored->tile, ignored->all);
        return true;
    }
    learned_values_free(values);
    return false;
}

void ignored_free(struct ignored_tiles *ignored)
{
    free(ignored->tile);
    *ignored = (struct ignored_tiles){0};
}
