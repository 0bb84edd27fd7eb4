/* The CPU's stages, as backend_cpu.c binds them and the tests call them. */
#ifndef SSIMCU_CPU_H
#define SSIMCU_CPU_H

#include "backend.h"

/* Moves elements as the plan says, any path. Source and destination must not overlap. */
void ssimcu_permute_cpu(const struct ssimcu_permute_plan *plan, struct ssimcu_threads *threads,
                        void *dst, const void *src);

#endif
