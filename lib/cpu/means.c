/* Computes the values of the grid's tiles from the sums of the threads. */
#include "cpu.h"
#include "mean.h"

#include <math.h>

/* Converts the features of a tile in one plane, which lie `step` apart, from maxima and from sums
 * over so many windows to levels. Sums over no windows are 0. */
static void make_features(float *feature, size_t step, double levels, uint32_t differences,
                          uint32_t textures)
{
    const float level = (float)levels;
    float *const texture = feature + step, *const bright = texture + step,
                 *const dark = bright + step;
    *feature = (float)(*feature * (levels / fmax(differences, 1)));
    *texture = level * sqrtf(fmaxf(*texture, 0) / (float)(2 * fmax(textures, 1)));
    *bright = level * sqrtf(*bright);
    *dark = level * sqrtf(*dark);
}

void ssimcu_means_cpu(const struct ssimcu_plan *plan, double *sums)
{
    const double levels = SSIMCU_PEAK / plan->white;
    const struct ssimcu_shape *shape = &plan->shape;
    const struct ssimcu_tile_grid *grid = &plan->grid;
    const uint32_t step = ssimcu_tile_step(shape->planes);
    float *feature = ssimcu_tile_features(sums, ssimcu_plan_tiles(plan), shape->planes);
    for (uint32_t row = 0; row < grid->rows; row++) {
        uint32_t x0, x1, y0, y1;
        ssimcu_tile_span(row, grid->height, grid->border, shape->map_height, &y0, &y1);
        for (uint32_t column = 0; column < grid->columns; column++, sums += step) {
            ssimcu_tile_span(column, grid->width, grid->border, shape->map_width, &x0, &x1);
            const double windows = (double)(x1 - x0) * (y1 - y0);
            const uint32_t even = ssimcu_tile_even(x0, x1),
                           differences =
                               even * ssimcu_tile_sum_rows(y0, y1, SSIMCU_TILE_DIFFERENCE),
                           textures = even * ssimcu_tile_sum_rows(y0, y1, SSIMCU_TILE_TEXTURE);
            *sums = ssimcu_mean_of(1.0 - *sums / (windows * shape->planes), *sums == 0);
            for (uint32_t c = 0; c < shape->planes; c++) {
                sums[1 + c] *= levels / windows;
                if (grid->features)
                    make_features(feature + c, shape->planes, levels, differences, textures);
            }
            feature += ssimcu_tile_feature_at(1, 0, shape->planes, 0);
        }
    }
}
