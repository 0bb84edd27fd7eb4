/* The CPU's permute, which backend_cpu.c binds and the tests call. */
#ifndef SSIMCU_CPU_H
#define SSIMCU_CPU_H

#include "backend.h"

/* Moves elements as the plan says, on any path. Source and destination must not overlap. */
void ssimcu_permute_cpu(const struct ssimcu_permute_plan *plan, struct ssimcu_threads *threads,
                        void *dst, const void *src);

#endif
