#include "plan/worst.h"

#include "mean.h"

#include <math.h>

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

ssimcu_tile ssimcu_worst_tile(const struct ssimcu_plan *plan, const double *const *means,
                              uint32_t planes, int all_are_1)
{
    ssimcu_tile worst = {0};
    for (uint32_t row = 0; row < plan->grid.rows; row++)
        for (uint32_t column = 0; column < plan->grid.columns; column++) {
            const ssimcu_tile tile = join(plan, means, planes, column, row);
            if (worst.width == 0 || tile.score < worst.score) worst = tile;
        }
    /* Tiles of a device can round to 1 though the frame's score does not. */
    worst.score = ssimcu_mean_of(worst.score, all_are_1);
    return worst;
}

/* Takes the tiles of one plan over if one is shifted more than *largest. `first` is the number of
 * its first channel. */
static void find_larger(const struct ssimcu_plan *plan, const struct ssimcu_plan *luma,
                        const double *means, uint32_t first, ssimcu_tile_shift *largest)
{
    const size_t tiles = ssimcu_plan_tiles(plan);
    for (size_t i = 0; i < tiles * plan->shape.planes; i++) {
        const double levels =
            means[i % tiles * ssimcu_tile_step(plan->shape.planes) + 1 + i / tiles];
        if (largest->width > 0 && !(fabs(levels) > fabs(largest->levels))) continue;
        const uint32_t at = (uint32_t)(i % tiles);
        const ssimcu_tile tile =
            tile_at(luma, means, at % plan->grid.columns, at / plan->grid.columns);
        *largest = (ssimcu_tile_shift){
            levels, first + (uint32_t)(i / tiles), tile.x, tile.y, tile.width, tile.height};
    }
}

ssimcu_tile_shift ssimcu_largest_shift(const struct ssimcu_plan *plan, const double *const *means,
                                       uint32_t planes)
{
    ssimcu_tile_shift largest = {0};
    for (uint32_t p = 0; p < planes; p++) find_larger(&plan[p], &plan[0], means[p], p, &largest);
    return largest;
}
