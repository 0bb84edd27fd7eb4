#include "task.h"

#include "number/curve.h"

/* Whether every plane is an unchanged channel of planar pictures. */
static int is_planar(const struct ssimcu_plan *plan)
{
    for (int slot = 0; slot < SSIMCU_PAIR; slot++) {
        const struct ssimcu_pixel_rule *rule = &plan->rule[0][slot];
        if (plan->samples[slot].step != 1 || rule->channels != plan->shape.planes) return 0;
        if (rule->alpha || rule->luma[1]) return 0;
    }
    return 1;
}

uint32_t ssimcu_cpu_planes(const struct ssimcu_plan *plan)
{
    return is_planar(plan) ? 1 : plan->shape.planes;
}

/* Makes tables for sides with a curve. */
static void set_curves(struct ssimcu_cpu_tables *tables, struct ssimcu_ssim_cpu_task *task)
{
    for (int slot = 0; slot < SSIMCU_PAIR; slot++) {
        const struct ssimcu_pixel_rule *rule = task->rule[slot];
        if (!ssimcu_light_has_curve(&rule->light)) continue;
        ssimcu_curve_make(&tables->curve[slot], &rule->light, rule->unit);
        task->curve[slot] = &tables->curve[slot];
    }
}

void ssimcu_cpu_task_make(struct ssimcu_cpu_tables *tables, const struct ssimcu_ssim_level *level,
                          const struct ssimcu_plan *plan,
                          const struct ssimcu_pixel_rule rule[SSIMCU_PAIR], uint32_t first,
                          uint32_t planes, struct ssimcu_cpu_task *made)
{
    *made = (struct ssimcu_cpu_task){.shape = plan->shape};
    made->shape.planes = planes;
    for (int slot = 0; slot < SSIMCU_PAIR; slot++) {
        made->samples[slot] = plan->samples[slot];
        made->rule[slot] = rule[slot];
        if (planes == rule[slot].planes) continue;
        made->samples[slot].channel[0] = plan->samples[slot].channel[first];
        made->samples[slot].planar = 0;
        made->rule[slot].channels = made->rule[slot].planes = planes;
    }
    struct ssimcu_ssim_cpu_task *task = &made->task;
    *task = (struct ssimcu_ssim_cpu_task){
        .shape = &made->shape,
        .samples = {&made->samples[SSIMCU_REF], &made->samples[SSIMCU_OUT]},
        .rule = {&made->rule[SSIMCU_REF], &made->rule[SSIMCU_OUT]},
        .grid = &plan->grid,
        .white = plan->white,
        .fixed = plan->fixed,
    };
    if (task->fixed) set_curves(tables, task);
    for (int slot = 0; slot < SSIMCU_PAIR; slot++)
        task->halves[slot] = ssimcu_halves_find(&tables->halves, slot, task->samples[slot],
                                                task->rule[slot], task->curve[slot], level->light);
}
