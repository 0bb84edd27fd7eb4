/* One pair under one pair of rules, ready for the functions of an instruction set. */
#ifndef SSIMCU_CPU_TASK_H
#define SSIMCU_CPU_TASK_H

#include "core/curve.h"
#include "halves.h"
#include "ssim_tiles.h"

/* Tables that tasks of a context share. They start as zeros. */
struct ssimcu_cpu_tables {
    struct ssimcu_halves halves;
    struct ssimcu_curve curve[SSIMCU_PAIR];
};

/* A task and what it points to. It must not be copied. */
struct ssimcu_cpu_task {
    struct ssimcu_shape shape;
    struct ssimcu_samples samples[SSIMCU_PAIR];
    struct ssimcu_pixel_rule rule[SSIMCU_PAIR];
    struct ssimcu_ssim_cpu_task task; /* counts nothing and makes no map */
};

/* Makes the task of planes [first, first + planes) of the plan's pair, under the rules of a pass.
 * `planes` is 1, or all that the rules have. */
void ssimcu_cpu_task_make(struct ssimcu_cpu_tables *tables, const struct ssimcu_ssim_level *level,
                          const struct ssimcu_plan *plan,
                          const struct ssimcu_pixel_rule rule[SSIMCU_PAIR], uint32_t first,
                          uint32_t planes, struct ssimcu_cpu_task *made);

/* Returns how many planes of the plan are scored at once. Planar pictures go plane by plane. Rows
 * of one plane are then read along; rows of three would be read in snatches (4K RGB bytes: 30 ms
 * against 65). */
uint32_t ssimcu_cpu_planes(const struct ssimcu_plan *plan);

#endif
