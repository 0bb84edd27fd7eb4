/* One pair under one pair of rules, ready for the functions of an instruction set. */
#pragma once

#include "cpu/ssim/ssim_tiles.h"

/* Tables that convert every 16-bit float to plane units, under a curve to integers. They are used
 * if every sample belongs to a plane unchanged, with any curve. A 4K RGB pair under the sRGB curve
 * takes 112 ms on one thread instead of 207. Making a table takes 0.4 to 2 ms, once per context.
 * The level's function makes it, so that halves and floats agree bit for bit. */
enum { SSIMCU_HALVES = 1 << 16 };

/* A table per side, and the rule that it was made for. It starts as zeros. */
struct ssimcu_halves {
    struct ssimcu_halves_of {
        float *value; /* NULL: not allocated yet */
        uint32_t type;
        float scale, unit;
        struct ssimcu_light_rule light;
    } of[2];
};

/* Makes room for the pair's tables if its samples are 16-bit floats. Returns 0 if memory runs out.
 */
int ssimcu_halves_reserve(struct ssimcu_halves *halves, const struct ssimcu_samples pair[2]);

void ssimcu_halves_free(struct ssimcu_halves *halves);

/* Tables shared by the tasks of a context. They start as zeros. */
struct ssimcu_cpu_tables {
    struct ssimcu_halves halves;
    struct ssimcu_curve curve[SSIMCU_PAIR];
};

/* A task and the data that it points to. It must not be copied. */
struct ssimcu_cpu_task {
    struct ssimcu_shape shape;
    struct ssimcu_samples samples[SSIMCU_PAIR];
    struct ssimcu_pixel_rule rule[SSIMCU_PAIR];
    struct ssimcu_ssim_cpu_task task; /* counts nothing and makes no map */
};

/* Makes the task of planes [first, first + planes) of the plan's pair, under the rules of a pass.
 * `planes` is 1, or the number of planes in the rules. */
void ssimcu_cpu_task_make(struct ssimcu_cpu_tables *tables, const struct ssimcu_ssim_level *level,
                          const struct ssimcu_plan *plan,
                          const struct ssimcu_pixel_rule rule[SSIMCU_PAIR], uint32_t first,
                          uint32_t planes, struct ssimcu_cpu_task *made);

/* Returns how many planes of the plan are scored at once. Planar pictures go plane by plane, so
 * that rows of one plane are read sequentially. Interleaved reads from three planes are slower (4K
 * RGB bytes: 65 ms instead of 30). */
uint32_t ssimcu_cpu_planes(const struct ssimcu_plan *plan);
