/* Scaling on the CPU: the plain definition of what kernels/scale does. */
#ifndef SSIMCU_CPU_SCALE_H
#define SSIMCU_CPU_SCALE_H

#include "core/scale.h"

#include <stddef.h>

/* Returns the bytes of memory that ssimcu_scale_cpu works in. */
size_t ssimcu_scale_cpu_bytes(const struct ssimcu_scale_task *task);

void ssimcu_scale_cpu(const struct ssimcu_scale_task *task, uint16_t *memory);

#endif
