#include "floors/packed.h"

#include "floors/rules.h"

#include <stdlib.h>

/* Sigma of a tile that is ignored: no rule has so large a spread. */
static const float IGNORED = 1;

bool floor_pack(const struct floor_values *values, struct floor_frame *packed)
{
    const size_t tiles = (size_t)values->grid.columns * values->grid.rows;
    size_t before = 0;
    if (!floor_frame_new(&values->grid, packed)) return false;
    packed->runs = 1;
    for (int rule = 0; rule < FLOOR_RULES; rule++) {
        const size_t count = floor_rule_values(&values->grid, rule);
        for (size_t i = 0; i < count; i++) {
            const bool ignored = values->ignored && values->ignored[i % tiles];
            packed->mean[before + i] = ignored ? 0 : values->value[rule][i];
            packed->sigma[before + i] =
                ignored ? IGNORED : (float)(floor_rule_rows[rule].spread / 8);
        }
        before += count;
    }
    return true;
}

bool floor_unpack(const struct floor_frame *packed, struct floor_values *values)
{
    const struct floor_grid *grid = &packed->grid;
    const size_t tiles = (size_t)grid->columns * grid->rows, all = floor_all_values(grid);
    if (!floor_values_new(grid, values)) return false;
    for (size_t i = 0; i < all; i++) values->value[0][i] = packed->mean[i];
    for (size_t i = 0; i < tiles; i++) {
        if (packed->sigma[i] < IGNORED / 2) continue;
        if (!values->ignored) values->ignored = calloc(tiles, 1);
        if (!values->ignored) {
            floor_values_free(values);
            return false;
        }
        values->ignored[i] = 1;
    }
    return true;
}
