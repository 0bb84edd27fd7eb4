/* PSNR on the CPU: squared errors in bands of rows. */
#include "cpu/metrics/metrics.h"
#include "threads.h"

#include <string.h>

enum { ROWS = 16 }; /* rows of a band */

struct run {
    const struct ssimcu_ssim_cpu_task *task;
    ssimcu_ssim_squares *squares;
    double (*partial)[SSIMCU_MAX_CHANNELS]; /* sums of each band */
};

static void add_band(void *arg, size_t band)
{
    const struct run *run = arg;
    const uint32_t y = (uint32_t)band * ROWS, left = run->task->shape->height - y;
    memset(run->partial[band], 0, sizeof run->partial[band]);
    run->squares(run->task, y, left < ROWS ? left : ROWS, run->partial[band]);
}

/* If samples are integers, sums of a band are multiples of a power of two, and exact. So is their
 * total, because a long double has 64 bits or more where that matters. */
void ssimcu_psnr_cpu(const struct ssimcu_metrics_run *run, uint32_t pass,
                     struct ssimcu_metric_sums *sums)
{
    const struct ssimcu_plan *plan = run->plan;
    const uint32_t planes = ssimcu_cpu_planes(plan);
    const size_t bands = (plan->shape.height + ROWS - 1) / ROWS;
    for (uint32_t first = 0; first < plan->shape.planes; first += planes) {
        struct ssimcu_cpu_task task;
        ssimcu_cpu_task_make(run->tables, run->level, plan, plan->rule[pass], first, planes, &task);
        struct run job = {&task.task, run->level->squares, run->memory};
        ssimcu_threads_run(run->threads, bands, add_band, &job);
        for (uint32_t c = 0; c < planes; c++) {
            long double sum = 0;
            for (size_t i = 0; i < bands; i++) sum += (long double)job.partial[i][c];
            sums->squares[pass][first + c] = (double)sum;
        }
    }
}
