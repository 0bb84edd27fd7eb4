/* The CPU's means, permute, scaling and loss, which backend_cpu.c binds and the tests call. */
#ifndef SSIMCU_CPU_H
#define SSIMCU_CPU_H

#include "backend.h"

/* Turns sums of 1 - SSIM of the grid's tiles into means of SSIM, and their other numbers into
 * levels. */
void ssimcu_means_cpu(const struct ssimcu_plan *plan, double *sums);

/* Moves elements as the plan says, on any path. Source and destination must not overlap. */
void ssimcu_permute_cpu(const struct ssimcu_permute_plan *plan, struct ssimcu_threads *threads,
                        void *dst, const void *src);

/* Returns the bytes of memory that ssimcu_scale_cpu works in. It is the plain definition of what
 * kernels/scale does. */
size_t ssimcu_scale_cpu_bytes(const struct ssimcu_scale_task *task);
void ssimcu_scale_cpu(const struct ssimcu_scale_task *task, uint16_t *memory);

/* Returns the bytes of task->workspace, which grow with the threads, and makes the loss. */
size_t ssimcu_loss_cpu_bytes(const struct ssimcu_loss_task *task,
                             const struct ssimcu_threads *threads);
void ssimcu_loss_cpu(const struct ssimcu_loss_task *task, struct ssimcu_threads *threads);

/* Multiplies task->gradient[0] by a float, or a double if it has doubles. */
void ssimcu_loss_scale_cpu(const struct ssimcu_loss_task *task, const void *factor);

#endif
