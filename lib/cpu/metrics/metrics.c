#include "cpu/metrics/metrics.h"

#include <stdlib.h>

static uint32_t s2_scales(const struct ssimcu_plan *plan)
{
    return (uint32_t)ssimcu_s2_scales((int)plan->shape.width, (int)plan->shape.height);
}

int ssimcu_metrics_cpu_light(const struct ssimcu_plan *plan, struct ssimcu_s2_light **light)
{
    if (!ssimcu_metrics_has(plan, SSIMCU_METRIC_SSIMULACRA2) || *light) return 1;
    *light = malloc(sizeof **light);
    if (*light) ssimcu_s2_light_make(*light);
    return *light != NULL;
}

/* Makes the task that reads the samples of a pass for SSIMULACRA2. */
static void make_reader(const struct ssimcu_metrics_run *run, uint32_t pass, uint32_t grey_pass,
                        struct ssimcu_cpu_task *task)
{
    struct ssimcu_pixel_rule rule[SSIMCU_PAIR];
    for (int slot = 0; slot < SSIMCU_PAIR; slot++)
        rule[slot] = ssimcu_metrics_s2_rule(run->plan, pass, grey_pass, slot);
    ssimcu_cpu_task_make(run->tables, run->level, run->plan, rule, 0, rule[0].planes, task);
}

static void run_s2(const struct ssimcu_metrics_run *run, const struct ssimcu_s2_task *first,
                   double norms[SSIMCU_S2_SCALES][SSIMCU_S2_CHANNELS][SSIMCU_S2_SUMS])
{
    const struct ssimcu_shape *shape = &run->plan->shape;
    struct ssimcu_pyramid_scale scale[SSIMCU_S2_SCALES];
    double *const partial = run->memory;
    ssimcu_pyramid_place(shape, ssimcu_metrics_s2_planes(run->plan), 1, s2_scales(run->plan),
                         (float *)(partial + ssimcu_s2_partials(shape->width, shape->height)),
                         scale);
    ssimcu_ssimulacra2_cpu(first, scale, run->level, run->threads, partial, norms);
}

static void run_video(const struct ssimcu_metrics_run *run, struct ssimcu_metric_sums *sums)
{
    const struct ssimcu_plan *plan = run->plan;
    struct ssimcu_cpu_task plane[SSIMCU_MAX_CHANNELS];
    for (int p = 0; p < SSIMCU_MAX_CHANNELS; p++) {
        const struct ssimcu_plan *own = p > 0 ? &plan->chroma[p - 1] : plan;
        ssimcu_cpu_task_make(run->tables, run->level, own, own->rule[0], 0, 1, &plane[p]);
    }
    struct ssimcu_s2_video video[SSIMCU_PAIR];
    for (int slot = 0; slot < SSIMCU_PAIR; slot++)
        video[slot] = (struct ssimcu_s2_video){{&plane[0].task, &plane[1].task, &plane[2].task},
                                               ssimcu_metrics_video(plan, slot)};
    const struct ssimcu_s2_task first = {.video = video, .light = run->light};
    run_s2(run, &first, sums->norms[0]);
}

/* If a pair is scored over black and over white, this metric is scored over two greys in
 * between. */
static void run_ssimulacra2(const struct ssimcu_metrics_run *run, uint32_t pass,
                            struct ssimcu_metric_sums *sums)
{
    const int is_grey = ssimcu_metrics_s2_is_grey(run->plan);
    struct ssimcu_cpu_task over[2];
    if (run->plan->chroma) {
        run_video(run, sums);
        return;
    }
    make_reader(run, is_grey ? 0 : pass, pass, &over[0]);
    if (is_grey) make_reader(run, 1, pass, &over[1]);
    const struct ssimcu_s2_task first = {
        .read = {&over[0].task, is_grey ? &over[1].task : &over[0].task},
        .grey = ssimcu_metrics_s2_grey(pass),
        .unit = (float)(S2_STEPS / run->plan->white),
        .light = run->light,
    };
    run_s2(run, &first, sums->norms[pass]);
}

/* ---- All ------------------------------------------------------------------------------------- */

static size_t psnr_bytes(const struct ssimcu_plan *plan)
{
    return (size_t)plan->shape.height * SSIMCU_MAX_CHANNELS * sizeof(double);
}

static size_t ms_ssim_bytes(const struct ssimcu_plan *plan)
{
    const struct ssimcu_shape *shape = &plan->shape;
    return sizeof(float) *
           ssimcu_pyramid_floats(shape->width, shape->height, shape->planes, SSIMCU_MS_SCALES);
}

/* The floats of a pyramid follow the doubles of partial sums. */
static size_t ssimulacra2_bytes(const struct ssimcu_plan *plan)
{
    const struct ssimcu_shape *shape = &plan->shape;
    return sizeof(double) * ssimcu_s2_partials(shape->width, shape->height) +
           sizeof(float) * ssimcu_pyramid_floats(shape->width, shape->height,
                                                 ssimcu_metrics_s2_planes(plan), s2_scales(plan));
}

/* A metric's memory, and the function that sets its sums. */
static const struct {
    size_t (*bytes)(const struct ssimcu_plan *plan);
    void (*run)(const struct ssimcu_metrics_run *run, uint32_t pass,
                struct ssimcu_metric_sums *sums);
} METRICS[SSIMCU_METRICS] = {
    [SSIMCU_METRIC_PSNR] = {psnr_bytes, ssimcu_psnr_cpu},
    [SSIMCU_METRIC_MS_SSIM] = {ms_ssim_bytes, ssimcu_ms_ssim_cpu},
    [SSIMCU_METRIC_SSIMULACRA2] = {ssimulacra2_bytes, run_ssimulacra2},
#ifdef SSIMCU_TEST_ROWS
    [SSIMCU_METRIC_TEST] = {psnr_bytes, ssimcu_psnr_cpu}, /* it has the sums of PSNR */
#endif
};

size_t ssimcu_metrics_cpu_bytes(const struct ssimcu_plan *plan)
{
    size_t most = 0;
    for (int m = SSIMCU_METRIC_PSNR; m < SSIMCU_METRICS; m++) {
        const size_t bytes =
            ssimcu_metrics_has(plan, (ssimcu_metric)m) ? METRICS[m].bytes(plan) : 0;
        if (bytes > most) most = bytes;
    }
    return most;
}

void ssimcu_metrics_cpu(const struct ssimcu_metrics_run *run, uint32_t pass,
                        struct ssimcu_metric_sums *sums)
{
    for (int m = SSIMCU_METRIC_PSNR; m < SSIMCU_METRICS; m++)
        if (ssimcu_metrics_has(run->plan, (ssimcu_metric)m)) METRICS[m].run(run, pass, sums);
}
