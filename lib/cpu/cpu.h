/* The CPU's means, permute, scaling and loss, for backend_cpu.c and the tests. */
#pragma once

#include "backend.h"

/* Converts sums of 1 - SSIM of the grid's tiles to means of SSIM, and their other values to
 * levels. */
void ssimcu_means_cpu(const struct ssimcu_plan *plan, double *sums);

/* Permutes by the plan, on any path. Source and destination must not overlap. */
void ssimcu_permute_cpu(const struct ssimcu_permute_plan *plan, struct ssimcu_threads *threads,
                        void *dst, const void *src);

/* Returns the bytes of scratch memory of ssimcu_scale_cpu, which is the plain definition of
 * kernels/scale. */
size_t ssimcu_scale_cpu_bytes(const struct ssimcu_scale_task *task);
void ssimcu_scale_cpu(const struct ssimcu_scale_task *task, uint16_t *memory);

/* Return the bytes of task->workspace, which grow with the threads, and compute the loss. */
size_t ssimcu_loss_cpu_bytes(const struct ssimcu_loss_task *task,
                             const struct ssimcu_threads *threads);
void ssimcu_loss_cpu(const struct ssimcu_loss_task *task, struct ssimcu_threads *threads);

/* Multiplies task->gradient[0] by a float, or by a double if it has doubles. */
void ssimcu_loss_scale_cpu(const struct ssimcu_loss_task *task, const void *factor);
