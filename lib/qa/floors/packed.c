#include "floors/packed.h"

#include "floors/rules.h"

#include <stdlib.h>
#include <string.h>

/* Sigma of a tile that is ignored: no rule has so large a spread. */
static const float IGNORED = 1;

bool floor_pack(const struct floor_values *values, struct floor_frame *packed)
{
    const size_t tiles = floor_tiles_of(&values->grid);
    if (!floor_frame_new(&values->grid, packed)) return false;
    packed->runs = 1;
    float *mean = packed->mean, *sigma = packed->sigma;
    for (int rule = 0; rule < FLOOR_TILE_RULES; rule++)
        for (size_t i = 0; i < floor_rule_values(&values->grid, rule); i++) {
            const bool ignored = values->ignored && values->ignored[i % tiles];
            *mean++ = ignored ? 0 : values->value[rule][i];
            *sigma++ = ignored ? IGNORED : (float)(floor_rule_rows[rule].spread / 8);
        }
    return true;
}

bool floor_unpack(const struct floor_frame *packed, struct floor_values *values)
{
    const struct floor_grid *grid = &packed->grid;
    const size_t tiles = floor_tiles_of(grid);
    if (!floor_values_new(grid, values)) return false;
    memcpy(values->value[0], packed->mean, floor_all_values(grid) * sizeof *packed->mean);
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
