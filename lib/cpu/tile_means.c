#include "cpu.h"
#include "threads.h"

struct run {
    const struct ssimcu_shape *shape;
    const float *map;
    double *means;
};

enum { SUMS = 8 }; /* that run side by side, because one waits for itself at every addition */

static void add_row(const float *row, uint32_t count, double sum[SUMS])
{
    uint32_t x = 0;
    for (; x + SUMS <= count; x += SUMS)
        for (uint32_t k = 0; k < SUMS; k++) sum[k] += (double)row[x + k];
    for (; x < count; x++) sum[0] += (double)row[x];
}

static void average_tile(void *argument, size_t tile)
{
    const struct run *run = argument;
    const struct ssimcu_shape *shape = run->shape;
    const struct ssimcu_tile_grid *grid = &shape->grid;
    uint32_t x0, x1, y0, y1;
    ssimcu_tile_span((uint32_t)(tile % grid->columns), grid->width, grid->border, shape->map_width,
                     &x0, &x1);
    ssimcu_tile_span((uint32_t)(tile / grid->columns), grid->height, grid->border,
                     shape->map_height, &y0, &y1);
    double sum[SUMS] = {0}, total = 0;
    for (uint32_t c = 0; c < shape->planes; c++)
        for (uint32_t y = y0; y < y1; y++)
            add_row(run->map + ((size_t)c * shape->map_height + y) * shape->map_width + x0, x1 - x0,
                    sum);
    for (uint32_t k = 0; k < SUMS; k++) total += sum[k];
    run->means[tile] = total / ((double)(x1 - x0) * (y1 - y0) * shape->planes);
}

void ssimcu_tile_means_cpu(const struct ssimcu_shape *shape, const float *map,
                           struct ssimcu_threads *threads, double *means)
{
    struct run run = {shape, map, means};
    ssimcu_threads_run(threads, (size_t)shape->grid.columns * shape->grid.rows, average_tile, &run);
}
