#include "engine/excess.h"

#include "engine/score.h"
#include "pair/pair.h"

#include "fail.h"

#include <stdlib.h>

/* Gives each pixel the number of its tile. */
static ssimcu_status spread(const struct learned_grid *grid, const float *excess,
                            ssimcu_floats *map, ssimcu_message *message)
{
    *map = (ssimcu_floats){grid->width, grid->height, grid->width, NULL};
    map->value = calloc((size_t)grid->width * grid->height, sizeof *map->value);
    if (!map->value) return ssimcu_no_memory(message, "the map");
    for (uint32_t y = 0; y < grid->height; y++)
        for (uint32_t x = 0; x < grid->width; x++) {
            const size_t row = learned_least(y / grid->tile, grid->rows - 1);
            const size_t column = learned_least(x / grid->tile, grid->columns - 1);
            map->value[(size_t)y * map->stride + x] = excess[row * grid->columns + column];
        }
    return SSIMCU_OK;
}

/* Judges the tiles of a pair by its learned limits. */
static ssimcu_status judge_tiles(const struct learned_frame *learned, const double *max_excess,
                                 const struct learned_tiles *tiles, uint32_t channels,
                                 const unsigned char *ignored, ssimcu_floats *map,
                                 ssimcu_message *message)
{
    struct learned_values values = {0};
    ssimcu_status status = SSIMCU_OK;
    if (!learned_values_make(tiles, channels, &values)) return ssimcu_no_memory(message, "the map");
    if (learned_same_grid(&learned->grid, &values.grid)) {
        float *excess = calloc(learned_tiles_of(&values.grid), sizeof *excess);
        if (excess) learned_judge_tiles(learned, &values, ignored, max_excess, excess);
        status = excess ? spread(&values.grid, excess, map, message)
                        : ssimcu_no_memory(message, "the map");
        free(excess);
    }
    learned_values_free(&values);
    return status;
}

ssimcu_status excess_score(const struct judge *judge, ssimcu_context *context,
                           const struct pair *pair, ssimcu_score *score, ssimcu_floats *map,
                           ssimcu_message *message)
{
    struct learned_tiles tiles = {0};
    struct ignored_tiles ignored = {0};
    struct learned_frame learned = {0};
    const double *max_excess = NULL;
    *map = (ssimcu_floats){0};
    if (!judge || !judge->find) return SSIMCU_OK;
    ssimcu_status status = judge->find(judge->user, pair->record, &learned, &max_excess, message);
    const bool judged = status == SSIMCU_OK && learned.mean && max_excess;
    if (judged) status = score_pair(context, pair, judge->tile, &tiles, score, message);
    if (judged && status == SSIMCU_OK)
        status = judge_find_ignored(judge, &tiles, pair, &ignored, message);
    if (judged && status == SSIMCU_OK)
        status =
            judge_tiles(&learned, max_excess, &tiles, score->channels, ignored.tile, map, message);
    ignored_free(&ignored);
    learned_tiles_free(&tiles);
    learned_frame_free(&learned);
    return status;
}
