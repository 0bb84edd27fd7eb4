#include "halves.h"

#include <stdlib.h>
#include <string.h>

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

const float *ssimcu_halves_find(struct ssimcu_halves *halves, int side,
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
