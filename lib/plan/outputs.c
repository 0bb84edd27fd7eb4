#include "plan/outputs.h"

#include "metrics.h"
#include "sized.h"

#include <string.h>

/* Errors: ARGUMENT, TOO_SMALL (the pair has no map). */
static ssimcu_status read_map(const struct ssimcu_plan *plan, const ssimcu_map *theirs,
                              ssimcu_map *map, ssimcu_message *message)
{
    const ssimcu_status status =
        ssimcu_metrics_check_size(SSIMCU_METRIC_SSIM, &plan->shape, message);
    if (status != SSIMCU_OK) return status;
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
        const ssimcu_status status = read_map(plan, map, &own, message);
        if (status != SSIMCU_OK) return status;
        shape_map(&plan->shape, &own);
        ssimcu_sized_write(map, &own);
    }
    if (tiles) { /* their size was read when the plan was made */
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
    const ssimcu_status status = read_map(plan, map, &own, message);
    if (status != SSIMCU_OK) return status;
    shape_map(&plan->shape, &expected);
    if (!own.data || own.width != expected.width || own.height != expected.height ||
        own.channels != expected.channels)
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                           "map: expected %ux%ux%u floats, as ssimcu_views_layout says",
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
    const ssimcu_status status =
        ssimcu_sized_read(&own, sizeof own, SSIMCU_TILES_OLDEST, tiles, "tiles", message);
    if (status != SSIMCU_OK) return status;
    const int features = ssimcu_plan_wants_features(&own);
    if (!own.data && !own.shift && !features) return SSIMCU_OK;
    if (features && !grid->features)
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                           "tiles: features, which the request was made without");
    if (own.width != grid->width || own.height != grid->height || own.columns != grid->columns ||
        own.rows != grid->rows)
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                           "tiles: expected %ux%u scores of %ux%u pixels, as ssimcu_views_layout "
                           "says",
                           grid->rows, grid->columns, grid->width, grid->height);
    memory->score = own.data;
    memory->shift = own.shift;
    memcpy(memory->feature, own.feature, sizeof own.feature);
    return SSIMCU_OK;
}

void ssimcu_outputs_write_tiles(const struct ssimcu_plan *plan, const double *means,
                                const struct ssimcu_tiles_memory *memory)
{
    const size_t tiles = ssimcu_plan_tiles(plan);
    const uint32_t planes = plan->shape.planes, step = ssimcu_tile_step(planes);
    const float *feature = ssimcu_tile_features((double *)means, tiles, planes);
    for (size_t tile = 0; tile < tiles; tile++) {
        const double *const own = means + tile * step;
        if (memory->score) memory->score[tile] = own[0];
        for (uint32_t c = 0; c < planes; c++) {
            if (memory->shift) memory->shift[c * tiles + tile] = own[1 + c];
            for (uint32_t f = 0; f < plan->grid.features; f++)
                if (memory->feature[f])
                    memory->feature[f][c * tiles + tile] =
                        (double)feature[ssimcu_tile_feature_at(tile, f, planes, c)];
        }
    }
}
