/* Metrics beside SSIM on the CPU: PSNR, MS-SSIM and SSIMULACRA2 of one pass of a plan. */
#ifndef SSIMCU_CPU_METRICS_H
#define SSIMCU_CPU_METRICS_H

#include "cpu/ssim/task.h"
#include "plan/metrics.h"
#include "ssimulacra2.h"

/* What they run on. */
struct ssimcu_metrics_run {
    const struct ssimcu_plan *plan;
    const struct ssimcu_ssim_level *level;
    struct ssimcu_threads *threads;
    struct ssimcu_cpu_tables *tables;
    const struct ssimcu_s2_light *light;
    double *partial; /* plan->bytes.partial bytes */
    void *memory;    /* ssimcu_metrics_cpu_bytes */
};

/* Returns how much memory the plan's metrics take, 0 if none are wanted. */
size_t ssimcu_metrics_cpu_bytes(const struct ssimcu_plan *plan);

/* Makes the table of light if the plan needs it and there is none. The caller frees it. Returns 0
 * if memory runs out. */
int ssimcu_metrics_cpu_light(const struct ssimcu_plan *plan, struct ssimcu_s2_light **light);

/* Sets the sums of all metrics that the plan wants. sums->lost[pass][][0] is set already, unless
 * the plan pads with zeros. */
void ssimcu_metrics_cpu(const struct ssimcu_metrics_run *run, uint32_t pass,
                        struct ssimcu_metric_sums *sums);

/* One metric each. */
void ssimcu_psnr_cpu(const struct ssimcu_metrics_run *run, uint32_t pass,
                     struct ssimcu_metric_sums *sums);
void ssimcu_ms_ssim_cpu(const struct ssimcu_metrics_run *run, uint32_t pass,
                        struct ssimcu_metric_sums *sums);

#endif
