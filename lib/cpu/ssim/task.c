#include "task.h"

#include "number/light.h"

#include <stdlib.h>
#include <string.h>

/* ---- Tables of halves ------------------------------------------------------------------------ */

static int is_half(const struct ssimcu_samples *samples)
{
    return samples->type == SSIMCU_SAMPLE_F16 || samples->type == SSIMCU_SAMPLE_BF16;
}

int ssimcu_halves_reserve(struct ssimcu_halves *halves, const struct ssimcu_samples pair[2])
{
    for (int side = 0; side < 2; side++) {
        struct ssimcu_halves_of *of = &halves->of[side];
        if (of->value || !is_half(&pair[side])) continue;
        of->value = malloc(SSIMCU_HALVES * sizeof *of->value);
        if (!of->value) return 0;
    }
    return 1;
}

static void fill(struct ssimcu_halves_of *of, const struct ssimcu_curve *curve,
                 ssimcu_ssim_light *convert)
{
    const struct ssimcu_light_rule light = of->light;
    const float scale = light.on ? light.gain * 255.0f : of->scale;
    for (uint32_t i = 0; i < SSIMCU_HALVES; i++) {
        const uint16_t bits = (uint16_t)i;
        const float sample = ssimcu_light_finite(
            light.on && light.nan_zero,
            of->type == SSIMCU_SAMPLE_F16 ? ssimcu_sample_half(bits) : ssimcu_sample_bfloat(bits));
        of->value[i] = curve ? sample : ssimcu_sample_unit(sample, scale, of->unit);
    }
    if (curve) convert(curve, of->value, SSIMCU_HALVES, of->value);
}

/* Returns the table of one side, from an earlier call if nothing has changed. If both sides are
 * treated alike, the first side's table serves both. `curve` is the side's table if it has a curve.
 * Returns NULL if samples are not looked up. */
static const float *find_halves(struct ssimcu_halves *halves, int side,
                                const struct ssimcu_samples *samples,
                                const struct ssimcu_pixel_rule *rule,
                                const struct ssimcu_curve *curve, ssimcu_ssim_light *convert)
{
    struct ssimcu_halves_of *own = &halves->of[side];
    const int has_curve = ssimcu_light_has_curve(&rule->light);
    if (!is_half(samples) || rule->channels != rule->planes || samples->step != rule->planes ||
        samples->planar || rule->alpha || rule->luma[1] || has_curve != (curve != NULL))
        return NULL;
    for (const struct ssimcu_halves_of *of = halves->of; of <= own; of++)
        if (of->type == samples->type && of->scale == samples->scale && of->unit == rule->unit &&
            memcmp(&of->light, &rule->light, sizeof of->light) == 0)
            return of->value;
    own->type = samples->type;
    own->scale = samples->scale;
    own->unit = rule->unit;
    own->light = rule->light;
    fill(own, curve, convert);
    return own->value;
}

void ssimcu_halves_free(struct ssimcu_halves *halves)
{
    for (int side = 0; side < 2; side++) free(halves->of[side].value);
}

/* ---- Tasks ----------------------------------------------------------------------------------- */

/* Returns whether every plane is an unchanged channel of planar pictures. */
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
        task->halves[slot] = find_halves(&tables->halves, slot, task->samples[slot],
                                         task->rule[slot], task->curve[slot], level->light);
}
