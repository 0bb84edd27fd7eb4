#include "engine/excess.h"

#include "engine/score.h"
#include "pair/pair.h"

#include "fail.h"

#include <stdlib.h>

/* Gives each pixel the number of its tile. */
static ssimcu_status spread(const struct floor_grid *grid, const float *excess, ssimcu_floats *map,
                            ssimcu_message *message)
{
    *map = (ssimcu_floats){grid->width, grid->height, grid->width, NULL};
    map->value = calloc((size_t)grid->width * grid->height, sizeof *map->value);
    if (!map->value) return ssimcu_no_memory(message, "the map");
    for (uint32_t y = 0; y < grid->height; y++)
        for (uint32_t x = 0; x < grid->width; x++) {
            const size_t row = floor_least(y / grid->tile, grid->rows - 1);
            const size_t column = floor_least(x / grid->tile, grid->columns - 1);
            map->value[(size_t)y * map->stride + x] = excess[row * grid->columns + column];
        }
    return SSIMCU_OK;
}

/* Judges the tiles of a pair by its floors. */
static ssimcu_status judge_tiles(const struct floor_frame *floor, const double *max_excess,
                                 const struct floor_tiles *tiles, uint32_t channels,
                                 const unsigned char *ignored, ssimcu_floats *map,
                                 ssimcu_message *message)
{
    struct floor_values values = {0};
    float *excess = NULL;
    ssimcu_status status = SSIMCU_OK;
    if (!floor_values_make(tiles, channels, &values)) return ssimcu_no_memory(message, "the map");
    if (floor_same_grid(&floor->grid, &values.grid)) {
        excess = calloc(floor_tiles_of(&values.grid), sizeof *excess);
        if (!excess) status = ssimcu_no_memory(message, "the map");
    }
    if (excess) {
        floor_judge_tiles(floor, &values, ignored, max_excess, excess);
        status = spread(&values.grid, excess, map, message);
    }
    free(excess);
    floor_values_free(&values);
    return status;
}

ssimcu_status excess_score(const struct judge *judge, ssimcu_context *lane, const struct pair *pair,
                           ssimcu_score *score, ssimcu_floats *map, ssimcu_message *message)
{
    struct floor_tiles tiles = {0};
    struct ignored_tiles ignored = {0};
    struct floor_frame floor = {0};
    const double *max_excess = NULL;
    *map = (ssimcu_floats){0};
    if (!judge || !judge->find) return SSIMCU_OK;
    ssimcu_status status = judge->find(judge->user, pair->record, &floor, &max_excess, message);
    const bool judged = status == SSIMCU_OK && floor.mean && max_excess;
    if (judged) status = score_pair(lane, pair, judge->tile, &tiles, score, message);
    if (judged && status == SSIMCU_OK)
        status = judge_find_ignored(judge, &tiles, pair, &ignored, message);
    if (judged && status == SSIMCU_OK)
        status =
            judge_tiles(&floor, max_excess, &tiles, score->channels, ignored.tile, map, message);
    ignored_free(&ignored);
    floor_tiles_free(&tiles);
    floor_frame_free(&floor);
    return status;
}
