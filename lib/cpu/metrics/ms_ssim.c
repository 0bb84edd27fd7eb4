/* MS-SSIM on the CPU. The kernel of SSIM scores each scale: the first with the samples, the others
 * with planes that are halved from scale to scale. Bytes become exact sums, other samples
 * floats. */
#include "cpu/metrics/metrics.h"
#include "pyramid.h"
#include "threads.h"

struct halving {
    const struct ssimcu_ssim_cpu_task *task;
    ssimcu_ssim_halve *halve;
    const struct ssimcu_pyramid_scale *to;
    uint32_t plane; /* plane of the pyramid */
};

enum { ROWS = 8 };

static void halve_rows(void *arg, size_t band)
{
    const struct halving *halving = arg;
    const struct ssimcu_pyramid_scale *to = halving->to;
    const uint32_t y = (uint32_t)band * ROWS, end = y + ROWS;
    for (uint32_t row = y; row < end && row < to->height; row++)
        for (int slot = 0; slot < SSIMCU_PAIR; slot++)
            halving->halve(halving->task, slot, row, to, halving->plane);
}

/* Makes the second scale from the samples, and scores the first if SSIM has other windows. */
static void run_samples(const struct ssimcu_metrics_run *run, uint32_t pass,
                        const struct ssimcu_pyramid_scale *to, struct ssimcu_metric_sums *sums)
{
    const struct ssimcu_plan *plan = run->plan;
    const uint32_t planes = ssimcu_cpu_planes(plan);
    for (uint32_t first = 0; first < plan->shape.planes; first += planes) {
        struct ssimcu_tile_grid no_grid = {0};
        struct ssimcu_cpu_task task;
        ssimcu_cpu_task_make(run->tables, run->level, plan, plan->rule[pass], first, planes, &task);
        struct halving halving = {&task.task, run->level->halve, to, first / planes};
        ssimcu_threads_run(run->threads, (to->height + ROWS - 1) / ROWS, halve_rows, &halving);
        if (!plan->shape.zero_pad) continue;
        double ssim[SSIMCU_MAX_CHANNELS], lost[SSIMCU_MAX_CHANNELS];
        task.task.grid = &no_grid;
        task.task.what = STRUCTURE_ALONE;
        task.shape.zero_pad = 0;
        task.shape.map_width = ssimcu_metrics_windows(task.shape.width, 0);
        task.shape.map_height = ssimcu_metrics_windows(task.shape.height, 0);
        ssimcu_ssim_tiles(&task.task, run->level, run->threads, run->partial, ssim, lost, NULL);
        for (uint32_t c = 0; c < planes; c++) sums->lost[pass][first + c][0] = lost[c];
    }
}

/* Returns whether both sides have bytes that each belong to a plane unchanged. */
static int are_bytes(const struct ssimcu_plan *plan)
{
    for (int slot = 0; slot < SSIMCU_PAIR; slot++) {
        const struct ssimcu_pixel_rule *rule = &plan->rule[0][slot];
        const struct ssimcu_samples *samples = &plan->samples[slot];
        if (samples->type != SSIMCU_SAMPLE_U8 || rule->alpha || rule->luma[1] ||
            rule->peak != UINT8_MAX || rule->channels != plan->shape.planes ||
            samples->step != ssimcu_cpu_planes(plan) || (samples->planar && samples->step > 1))
            return 0;
    }
    return 1;
}

/* Returns the samples of one side of a plane. */
static struct ssimcu_samples samples_of(const struct ssimcu_pyramid_scale *scale, int slot,
                                        uint32_t plane)
{
    const int words = scale->words[slot][plane] != NULL;
    const size_t size = words ? sizeof(uint16_t) : sizeof(float);
    char *first = words ? (char *)scale->words[slot][plane] : (char *)scale->plane[slot][plane];
    return (struct ssimcu_samples){.channel = {first, first + size, first + 2 * size},
                                   .pitch_bytes =
                                       (int64_t)scale->width * scale->step * (int64_t)size,
                                   .step = scale->step,
                                   .type = words ? SSIMCU_SAMPLE_U16 : SSIMCU_SAMPLE_F32,
                                   .scale = 1};
}

/* Scores plane `plane` of scale `index`, which has the channels of a step. */
static void score_plane(const struct ssimcu_metrics_run *run,
                        const struct ssimcu_pyramid_scale *scale, uint32_t index, uint32_t plane,
                        double lost[SSIMCU_MAX_CHANNELS])
{
    const int is_last = index + 1 == SSIMCU_MS_SCALES, words = scale->words[0][plane] != NULL;
    const float unit = words ? run->plan->rule[0]->unit / (float)(1u << 2 * index) : 1;
    const struct ssimcu_tile_grid no_grid = {0};
    const struct ssimcu_shape shape = {.width = scale->width,
                                       .height = scale->height,
                                       .planes = scale->step,
                                       .map_width = ssimcu_metrics_windows(scale->width, 0),
                                       .map_height = ssimcu_metrics_windows(scale->height, 0)};
    const struct ssimcu_pixel_rule rule = {
        .channels = scale->step, .planes = scale->step, .bits = 16, .widen = 1, .unit = unit};
    const struct ssimcu_samples samples[SSIMCU_PAIR] = {samples_of(scale, SSIMCU_REF, plane),
                                                        samples_of(scale, SSIMCU_OUT, plane)};
    const struct ssimcu_ssim_cpu_task task = {.shape = &shape,
                                              .samples = {&samples[0], &samples[1]},
                                              .rule = {&rule, &rule},
                                              .grid = &no_grid,
                                              .white = run->plan->white,
                                              .floats = !words,
                                              .what = is_last ? SSIM_ALONE : STRUCTURE_ALONE};
    double other[SSIMCU_MAX_CHANNELS];
    ssimcu_ssim_tiles(&task, run->level, run->threads, run->partial, is_last ? lost : other,
                      is_last ? other : lost, NULL);
}

void ssimcu_ms_ssim_cpu(const struct ssimcu_metrics_run *run, uint32_t pass,
                        struct ssimcu_metric_sums *sums)
{
    const struct ssimcu_shape *shape = &run->plan->shape;
    const uint32_t step = ssimcu_cpu_planes(run->plan);
    struct ssimcu_pyramid_scale scale[SSIMCU_MS_SCALES];
    ssimcu_pyramid_place(shape, shape->planes / step, step, SSIMCU_MS_SCALES, run->memory, scale);
    if (are_bytes(run->plan)) ssimcu_pyramid_use_words(SSIMCU_MS_SCALES, scale);
    run_samples(run, pass, &scale[1], sums);
    for (uint32_t i = 1; i < SSIMCU_MS_SCALES; i++) {
        if (i > 1) ssimcu_pyramid_halve(&scale[i - 1], &scale[i], run->threads);
        for (uint32_t p = 0; p < scale->planes; p++) {
            double lost[SSIMCU_MAX_CHANNELS];
            score_plane(run, &scale[i], i, p, lost);
            for (uint32_t c = 0; c < step; c++) sums->lost[pass][p * step + c][i] = lost[c];
        }
    }
}
