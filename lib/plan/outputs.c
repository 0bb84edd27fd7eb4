#include "plan/outputs.h"

#include "mean.h"
#include "metrics.h"
#include "sized.h"

#include <math.h>
#include <string.h>

/* Errors: ARGUMENT, TOO_SMALL (the pair has no map). */
static ssimcu_status read_map(const struct ssimcu_plan *plan, const ssimcu_map *theirs,
                              ssimcu_map *map, ssimcu_message *message)
{
    TRY(ssimcu_metrics_check_size(SSIMCU_METRIC_SSIM, &plan->shape, message));
    return ssimcu_sized_read(map, sizeof *map, SSIMCU_MAP_OLDEST, theirs, "map", message);
}

static void shape_map(const struct ssimcu_shape *shape, ssimcu_map *map)
{
    map->width = shape->map_width;
    map->height = shape->map_height;
    map->channels = shape->planes;
    map->border = (shape->width - shape->map_width) / 2;
}

ssimcu_status ssimcu_outputs_lay_out(const struct ssimcu_plan *plan, ssimcu_map *map,
                                     ssimcu_tiles *tiles, ssimcu_message *message)
{
    ssimcu_map own;
    if (map) {
        TRY(read_map(plan, map, &own, message));
        shape_map(&plan->shape, &own);
        ssimcu_sized_write(map, &own);
    }
    if (tiles) { /* the plan has read their size */
        tiles->columns = plan->grid.columns;
        tiles->rows = plan->grid.rows;
    }
    return SSIMCU_OK;
}

ssimcu_status ssimcu_outputs_map(const struct ssimcu_plan *plan, const ssimcu_map *map,
                                 float **data, ssimcu_message *message)
{
    ssimcu_map own, expected;
    *data = NULL;
    if (!map) return SSIMCU_OK;
    TRY(read_map(plan, map, &own, message));
    shape_map(&plan->shape, &expected);
    if (!own.data || own.width != expected.width || own.height != expected.height ||
        own.channels != expected.channels)
        FAIL(ARGUMENT, "map: expected %ux%ux%u floats, as ssimcu_views_layout says",
             expected.channels, expected.height, expected.width);
    *data = own.data;
    return SSIMCU_OK;
}

ssimcu_status ssimcu_outputs_tiles(const struct ssimcu_plan *plan, const ssimcu_tiles *tiles,
                                   struct ssimcu_tiles_memory *memory, ssimcu_message *message)
{
    const struct ssimcu_tile_grid *grid = &plan->grid;
    ssimcu_tiles own;
    *memory = (struct ssimcu_tiles_memory){0};
    if (!tiles) return SSIMCU_OK;
    TRY(ssimcu_sized_read(&own, sizeof own, SSIMCU_TILES_OLDEST, tiles, "tiles", message));
    const int features = ssimcu_plan_wants_features(&own);
    if (!own.data && !own.level_shift && !features) return SSIMCU_OK;
    if (features && !grid->features)
        FAIL(ARGUMENT, "tiles: features, which the request was made without");
    if (own.width != grid->width || own.height != grid->height || own.columns != grid->columns ||
        own.rows != grid->rows)
        FAIL(ARGUMENT, "tiles: expected %ux%u scores of %ux%u pixels, as ssimcu_views_layout says",
             grid->rows, grid->columns, grid->width, grid->height);
    memory->score = own.data;
    memory->level_shift = own.level_shift;
    memcpy(memory->feature, own.feature, sizeof own.feature);
    return SSIMCU_OK;
}

/* ---- Tiles ----------------------------------------------------------------------------------- */

/* Copies the values of a plan's tiles to the caller's memory. */
static void write_tiles(const struct ssimcu_plan *plan, const double *means,
                        const struct ssimcu_tiles_memory *memory)
{
    const size_t tiles = ssimcu_plan_tiles(plan);
    const uint32_t planes = plan->shape.planes, step = ssimcu_tile_step(planes);
    const float *feature = ssimcu_tile_features((double *)means, tiles, planes);
    for (size_t tile = 0; tile < tiles; tile++) {
        const double *const own = means + tile * step;
        if (memory->score) memory->score[tile] = own[0];
        for (uint32_t c = 0; c < planes; c++) {
            if (memory->level_shift) memory->level_shift[c * tiles + tile] = own[1 + c];
            for (uint32_t f = 0; f < plan->grid.features; f++)
                if (memory->feature[f])
                    memory->feature[f][c * tiles + tile] =
                        (double)feature[ssimcu_tile_feature_at(tile, f, planes, c)];
        }
    }
}

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

static ssimcu_tile tile_at(const struct ssimcu_plan *plan, const double *means, uint32_t column,
                           uint32_t row)
{
    const struct ssimcu_tile_grid *grid = &plan->grid;
    const uint32_t x = column * grid->width, y = row * grid->height;
    const size_t at = (size_t)row * grid->columns + column;
    return (ssimcu_tile){.score = means[at * ssimcu_tile_step(plan->shape.planes)],
                         .x = x,
                         .y = y,
                         .width = least(grid->width, plan->shape.width - x),
                         .height = least(grid->height, plan->shape.height - y)};
}

/* Returns the tile of the whole frame at this place. A chroma plane can end a tile before luma
 * does. */
static ssimcu_tile join(const struct ssimcu_plan *plan, const double *const *means, uint32_t planes,
                        uint32_t column, uint32_t row)
{
    ssimcu_tile joined = tile_at(&plan[0], means[0], column, row);
    if (planes == 1) return joined;
    double sum = 0, area = 0;
    int all_are_1 = 1;
    for (uint32_t p = 0; p < planes; p++) {
        if (column >= plan[p].grid.columns || row >= plan[p].grid.rows) continue;
        const ssimcu_tile tile = tile_at(&plan[p], means[p], column, row);
        const double pixels = (double)tile.width * tile.height;
        sum += tile.score * pixels;
        area += pixels;
        all_are_1 &= tile.score == 1;
    }
    joined.score = ssimcu_mean_of(sum / area, all_are_1);
    return joined;
}

/* Returns the tile with the lowest score, the first of equals; all zeros if the plans have no
 * tiles. `all_are_1`: the frame's score is 1. Otherwise the worst tile's score is below 1, too. */
static ssimcu_tile worst_tile(const struct ssimcu_plan *plan, const double *const *means,
                              uint32_t planes, int all_are_1)
{
    ssimcu_tile worst = {0};
    for (uint32_t row = 0; row < plan->grid.rows; row++)
        for (uint32_t column = 0; column < plan->grid.columns; column++) {
            const ssimcu_tile tile = join(plan, means, planes, column, row);
            if (worst.width == 0 || tile.score < worst.score) worst = tile;
        }
    /* A device can round tiles to 1 although the frame's score is below 1. */
    worst.score = ssimcu_mean_of(worst.score, all_are_1);
    return worst;
}

/* Returns the largest level shift of a tile in one channel, up or down, the first of equals in
 * plane order. Returns zeros if the plans have no tiles. */
static ssimcu_level_shift largest_shift(const struct ssimcu_plan *plan, const double *const *means,
                                        uint32_t planes)
{
    ssimcu_level_shift largest = {0};
    for (uint32_t p = 0; p < planes; p++) {
        const size_t tiles = ssimcu_plan_tiles(&plan[p]);
        for (size_t i = 0; i < tiles * plan[p].shape.planes; i++) {
            const uint32_t at = (uint32_t)(i % tiles), channel = (uint32_t)(i / tiles);
            const double levels =
                means[p][at * ssimcu_tile_step(plan[p].shape.planes) + 1 + channel];
            if (largest.width > 0 && !(fabs(levels) > fabs(largest.levels))) continue;
            const uint32_t columns = plan[p].grid.columns;
            const ssimcu_tile tile = tile_at(plan, means[p], at % columns, at / columns);
            largest =
                (ssimcu_level_shift){levels, p + channel, tile.x, tile.y, tile.width, tile.height};
        }
    }
    return largest;
}

void ssimcu_outputs_write(const struct ssimcu_plan *plan, const double *const *means,
                          uint32_t planes, const struct ssimcu_tiles_memory *memory,
                          ssimcu_score *score)
{
    for (uint32_t p = 0; p < planes; p++) write_tiles(&plan[p], means[p], &memory[p]);
    score->worst = worst_tile(plan, means, planes, score->score == 1);
    score->level_shift = largest_shift(plan, means, planes);
}
