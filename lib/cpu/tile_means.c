#include "cpu.h"
#include "threads.h"

struct run {
    const struct ssimcu_plan *plan;
    const float *map;
    double *means;
};

static void average_tile(void *argument, size_t tile)
{
    const struct run *run = argument;
    const struct ssimcu_shape *shape = &run->plan->shape;
    const struct ssimcu_tile_grid *grid = &run->plan->grid;
    uint32_t x0, x1, y0, y1;
    ssimcu_tile_span((uint32_t)(tile % grid->columns), grid->width, grid->border, shape->map_width,
                     &x0, &x1);
    ssimcu_tile_span((uint32_t)(tile / grid->columns), grid->height, grid->border,
                     shape->map_height, &y0, &y1);
    double sum = 0;
    for (uint32_t c = 0; c < shape->planes; c++)
        for (uint32_t y = y0; y < y1; y++) {
            const float *row = run->map + ((size_t)c * shape->map_height + y) * shape->map_width;
            for (uint32_t x = x0; x < x1; x++) sum += row[x];
        }
    run->means[tile] = sum / ((double)(x1 - x0) * (y1 - y0) * shape->planes);
}

void ssimcu_tile_means_cpu(const struct ssimcu_plan *plan, const float *map,
                           struct ssimcu_threads *threads, double *means)
{
    struct run run = {plan, map, means};
    ssimcu_threads_run(threads, ssimcu_plan_tiles(plan), average_tile, &run);
}
