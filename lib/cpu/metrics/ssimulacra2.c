/* Distributes the tiles of each scale among the threads and adds their sums in order. */
#include "ssimulacra2.h"

#include "cpu/ssim/ssim_tiles.h"
#include "threads.h"

#include <math.h>
#include <string.h>

/* The curve of IEC 61966-2-1. */
static double to_light(double code)
{
    return code <= 0.04045 ? code / 12.92 : pow((code + 0.055) / 1.055, 2.4);
}

void ssimcu_s2_light_make(struct ssimcu_s2_light *light)
{
    for (int i = 0; i < S2_STEPS + 2; i++) light->step[i] = (float)to_light((double)i / S2_STEPS);
}

static uint32_t tiles_across(uint32_t width) { return (width + S2_COLUMNS - 1) / S2_COLUMNS; }

static uint32_t tiles_down(uint32_t height) { return (height + S2_ROWS - 1) / S2_ROWS; }

enum { TILE_SUMS = SSIMCU_S2_CHANNELS * SSIMCU_S2_SUMS };

size_t ssimcu_s2_partials(uint32_t width, uint32_t height)
{
    return (size_t)tiles_across(width) * tiles_down(height) * TILE_SUMS;
}

struct run {
    const struct ssimcu_s2_task *task;
    ssimcu_ssimulacra2_tile *tile;
    uint32_t across;
    double (*partial)[SSIMCU_S2_CHANNELS][SSIMCU_S2_SUMS];
};

static void score_tile(void *arg, size_t index)
{
    const struct run *run = arg;
    memset(run->partial[index], 0, sizeof run->partial[index]);
    run->tile(run->task, (uint32_t)(index % run->across), (uint32_t)(index / run->across),
              run->partial[index]);
}

static void score_scale(const struct ssimcu_s2_task *task, const struct ssimcu_ssim_level *level,
                        struct ssimcu_threads *threads, double *partial,
                        double sums[SSIMCU_S2_CHANNELS][SSIMCU_S2_SUMS])
{
    struct run run = {task, level->ssimulacra2, tiles_across(task->scale.width), (void *)partial};
    const size_t tiles = (size_t)run.across * tiles_down(task->scale.height);
    ssimcu_threads_run(threads, tiles, score_tile, &run);
    for (size_t i = 0; i < tiles; i++)
        for (int c = 0; c < SSIMCU_S2_CHANNELS; c++)
            for (int n = 0; n < SSIMCU_S2_SUMS; n++) sums[c][n] += run.partial[i][c][n];
}

void ssimcu_ssimulacra2_cpu(const struct ssimcu_s2_task *first, struct ssimcu_pyramid_scale *scale,
                            const struct ssimcu_ssim_level *level, struct ssimcu_threads *threads,
                            double *partial,
                            double sums[SSIMCU_S2_SCALES][SSIMCU_S2_CHANNELS][SSIMCU_S2_SUMS])
{
    const int scales = ssimcu_s2_scales((int)scale[0].width, (int)scale[0].height);
    memset(sums, 0, sizeof(double) * SSIMCU_S2_SCALES * TILE_SUMS);
    for (int i = 0; i < scales; i++) {
        struct ssimcu_s2_task task = {.scale = scale[i]};
        if (i == 0) task = *first, task.scale = scale[0];
        if (i == 0 && scales > 1) task.half = scale[1];
        if (i > 1) ssimcu_pyramid_halve(&scale[i - 1], &scale[i], threads);
        score_scale(&task, level, threads, partial, sums[i]);
    }
}
