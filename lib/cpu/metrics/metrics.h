/* Metrics other than SSIM on the CPU: PSNR, MS-SSIM and SSIMULACRA2 of one pass of a plan. */
#pragma once

#include "cpu/ssim/task.h"
#include "plan/metrics.h"
#include "ssimulacra2.h"

/* The plan and memory of the metrics. */
struct ssimcu_metrics_run {
    const struct ssimcu_plan *plan;
    const struct ssimcu_ssim_level *level;
    struct ssimcu_threads *threads;
    struct ssimcu_cpu_tables *tables;
    const struct ssimcu_s2_light *light;
    double *partial; /* plan->bytes.partial bytes */
    void *memory;    /* ssimcu_metrics_cpu_bytes */
};

/* Returns the bytes of memory of the plan's metrics; 0 if none are requested. */
size_t ssimcu_metrics_cpu_bytes(const struct ssimcu_plan *plan);

/* Makes the table of light if the plan needs it and it does not exist. The caller frees it. Returns
 * 0 if memory runs out. */
int ssimcu_metrics_cpu_light(const struct ssimcu_plan *plan, struct ssimcu_s2_light **light);

/* Sets the sums of all metrics of the plan. sums->lost[pass][][0] is already set, unless the plan
 * pads with zeros. */
void ssimcu_metrics_cpu(const struct ssimcu_metrics_run *run, uint32_t pass,
                        struct ssimcu_metric_sums *sums);

/* Each computes one metric. */
void ssimcu_psnr_cpu(const struct ssimcu_metrics_run *run, uint32_t pass,
                     struct ssimcu_metric_sums *sums);
void ssimcu_ms_ssim_cpu(const struct ssimcu_metrics_run *run, uint32_t pass,
                        struct ssimcu_metric_sums *sums);
