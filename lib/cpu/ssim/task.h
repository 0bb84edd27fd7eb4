/* One pair under one pair of rules, ready for the functions of an instruction set. */
#ifndef SSIMCU_CPU_TASK_H
#define SSIMCU_CPU_TASK_H

#include "core/curve.h"
#include "cpu/ssim/ssim_tiles.h"

/* Tables that turn every number of 16 bits into plane units, under a curve into whole numbers.
 * Floats of 16 bits are looked up if every sample belongs to a plane unchanged, whatever their
 * curve. A 4K RGB pair under the sRGB curve takes 112 ms of one thread instead of 207. Making a
 * table takes 0.4 to 2 ms, once per context. The level's own function makes it, so that halves and
 * floats agree to the bit. */
enum { SSIMCU_HALVES = 1 << 16 };

/* A table for each side, and what it was made for. It starts as zeros. */
struct ssimcu_halves {
    struct ssimcu_halves_of {
        float *value; /* NULL: no room yet */
        uint32_t type;
        float scale, unit;
        struct ssimcu_light_rule light;
    } of[2];
};

/* Makes room for the pair's tables if its samples have 16-bit floats. Returns 0 if out of memory.
 */
int ssimcu_halves_reserve(struct ssimcu_halves *halves, const struct ssimcu_samples pair[2]);

void ssimcu_halves_free(struct ssimcu_halves *halves);

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
