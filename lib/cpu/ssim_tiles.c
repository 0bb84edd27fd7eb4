/* The tiles of a pair, shared out over the threads, and their sums added in order. */
#include "ssim_tiles.h"

#include "threads.h"

#include <string.h>

const struct ssimcu_ssim_level *ssimcu_ssim_level(enum ssimcu_cpu_level level)
{
    const struct ssimcu_ssim_level *found = ssimcu_ssim_levels;
    for (;; found++) {
        if ((level == SSIMCU_CPU_BEST || level == found->level) && found->usable()) return found;
        if (found->level == SSIMCU_CPU_PLAIN) return NULL;
    }
}

static uint32_t tiles_across(const struct ssimcu_shape *shape)
{
    const uint32_t width = SSIM_TILE_COLUMNS / shape->planes;
    return (shape->map_width + width - 1) / width;
}

static uint32_t tiles_down(const struct ssimcu_shape *shape)
{
    return (shape->map_height + SSIM_TILE_ROWS - 1) / SSIM_TILE_ROWS;
}

size_t ssimcu_ssim_cpu_partials(const struct ssimcu_shape *shape)
{
    return (size_t)tiles_across(shape) * tiles_down(shape);
}

struct run {
    const struct ssimcu_ssim_cpu_task *task;
    const struct ssimcu_ssim_level *level;
    uint32_t across;
    double (*partial)[SSIMCU_MAX_CHANNELS];
};

static void score_tile(void *arg, size_t index)
{
    const struct run *run = arg;
    const uint32_t across = (uint32_t)(index % run->across);
    const uint32_t down = (uint32_t)(index / run->across);
    memset(run->partial[index], 0, sizeof run->partial[index]);
    run->level->tile(run->task, across, down, run->partial[index]);
    if (run->task->map) run->level->map_tile(run->task, across, down);
}

void ssimcu_ssim_tiles(const struct ssimcu_ssim_cpu_task *task,
                       const struct ssimcu_ssim_level *level, struct ssimcu_threads *threads,
                       double (*partial)[SSIMCU_MAX_CHANNELS], double *sums)
{
    const size_t tiles = ssimcu_ssim_cpu_partials(task->shape);
    struct run run = {task, level, tiles_across(task->shape), partial};
    ssimcu_threads_run(threads, tiles, score_tile, &run);
    for (uint32_t c = 0; c < task->shape->planes; c++) {
        sums[c] = 0;
        for (size_t i = 0; i < tiles; i++) sums[c] += partial[i][c];
    }
}
