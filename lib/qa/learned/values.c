#include "learned/values.h"

#include "learned/rules.h"

#include "fail.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_CHANNELS = 3 };

/* Returns how many numbers a tile may have. */
static size_t numbers_of(bool plain)
{
    return 1 + MOST_CHANNELS * (size_t)(plain ? 1 : 1 + SSIMCU_FEATURES);
}

static size_t tiles_of(const ssimcu_tiles *tiles) { return (size_t)tiles->columns * tiles->rows; }

ssimcu_status learned_tiles_make(ssimcu_context *context, const ssimcu_view *ref,
                                 const ssimcu_view *out, uint32_t planes, uint32_t tile, bool plain,
                                 struct learned_tiles *tiles, ssimcu_message *message)
{
    size_t all = 0;
    ssimcu_map map = SSIMCU_INIT(map);
    *tiles = (struct learned_tiles){.planes = planes, .plain = plain};
    for (uint32_t p = 0; p < planes; p++) {
        tiles->width[p] = ref[p].width;
        tiles->height[p] = ref[p].height;
        tiles->tiles[p] =
            SSIMCU_INIT(tiles, .width = learned_tile_side(tile, ref->width, ref[p].width),
                        .height = learned_tile_side(tile, ref->height, ref[p].height));
        TRY(ssimcu_views_layout(context, &ref[p], &out[p], &map, &tiles->tiles[p], message));
        all += numbers_of(plain) * tiles_of(&tiles->tiles[p]);
    }
    tiles->border = map.border;
    double *at = tiles->memory = calloc(all, sizeof *at);
    if (!at) return ssimcu_no_memory(message, "the tiles");
    for (uint32_t p = 0; p < planes; p++) {
        ssimcu_tiles *plane = &tiles->tiles[p];
        const size_t count = tiles_of(plane);
        plane->data = at;
        plane->level_shift = at + count;
        for (int f = 0; f < SSIMCU_FEATURES && !plain; f++)
            plane->feature[f] = at + count * (size_t)(1 + MOST_CHANNELS * (1 + f));
        at += numbers_of(plain) * count;
    }
    return SSIMCU_OK;
}

/* Returns the place of a tile in the arrays of a plane, or of the last tile before it. */
static size_t place_in(const ssimcu_tiles *tiles, uint32_t column, uint32_t row)
{
    return (size_t)learned_least(row, tiles->rows - 1) * tiles->columns +
           learned_least(column, tiles->columns - 1);
}

double learned_tile_pixels(const struct learned_tiles *tiles, uint32_t p, uint32_t column,
                           uint32_t row)
{
    const ssimcu_tiles *plane = &tiles->tiles[p];
    if (column >= plane->columns || row >= plane->rows) return 0;
    return (double)learned_least(plane->width, tiles->width[p] - column * plane->width) *
           learned_least(plane->height, tiles->height[p] - row * plane->height);
}

double learned_tile_score(const struct learned_tiles *tiles, uint32_t column, uint32_t row)
{
    double sum = 0, area = 0;
    if (tiles->planes == 1) return tiles->tiles->data[place_in(tiles->tiles, column, row)];
    for (uint32_t p = 0; p < tiles->planes; p++) {
        const double pixels = learned_tile_pixels(tiles, p, column, row);
        sum += tiles->tiles[p].data[place_in(&tiles->tiles[p], column, row)] * pixels;
        area += pixels;
    }
    return sum / area;
}

/* Returns a tile's number in a channel: its level shift (0), or a feature (from 1). */
static double number_at(const struct learned_tiles *tiles, int number, uint32_t channel,
                        uint32_t column, uint32_t row)
{
    const bool planes = tiles->planes > 1;
    const ssimcu_tiles *plane = &tiles->tiles[planes ? channel : 0];
    const double *from = number == 0 ? plane->level_shift : plane->feature[number - 1];
    return from[(planes ? 0 : channel * tiles_of(plane)) + place_in(plane, column, row)];
}

static double value_at(const struct learned_tiles *tiles, enum learned_rule rule, uint32_t channels,
                       uint32_t channel, uint32_t column, uint32_t row)
{
    enum { SHIFT, DIFFERENCE, TEXTURE, BRIGHT, DARK };
    double levels = 0, squares = 0;
    switch (rule) {
    case LEARNED_SCORE: return learned_tile_score(tiles, column, row);
    case LEARNED_LEVEL_SHIFT: return number_at(tiles, SHIFT, channel, column, row);
    case LEARNED_DIFFERENCE: return log(number_at(tiles, DIFFERENCE, channel, column, row) + 0.2);
    case LEARNED_TEXTURE:
        for (uint32_t c = 0; c < channels; c++) {
            levels = number_at(tiles, TEXTURE, c, column, row);
            squares += levels * levels;
        }
        return log(squares / channels + 1);
    default:
        levels = number_at(tiles, rule == LEARNED_BRIGHT ? BRIGHT : DARK, channel, column, row);
        return log(levels * levels + 4);
    }
}

bool learned_values_make(const struct learned_tiles *tiles, uint32_t channels,
                         struct learned_values *values)
{
    const ssimcu_tiles *first = tiles->tiles;
    const struct learned_grid grid = {first->width,   tiles->width[0], tiles->height[0],
                                      first->columns, first->rows,     channels};
    const size_t count = (size_t)grid.columns * grid.rows;
    if (!learned_values_new(&grid, values)) return false;
    float *to = values->value[0];
    for (int rule = 0; rule < LEARNED_TILE_RULES; rule++)
        for (uint32_t channel = 0; channel < learned_rule_values(&grid, rule) / count; channel++)
            for (uint32_t row = 0; row < grid.rows; row++)
                for (uint32_t column = 0; column < grid.columns; column++)
                    *to++ = (float)value_at(tiles, rule, channels, channel, column, row);
    return true;
}

void learned_tiles_free(struct learned_tiles *tiles)
{
    free(tiles->memory);
    *tiles = (struct learned_tiles){0};
}
