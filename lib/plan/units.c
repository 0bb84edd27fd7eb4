#include "plan/plan_rules.h"

#include "core/curve.h"
#include "core/units.h"

/* The product of two whites of up to 12 bits is exact in a float. */
enum { MOST_OVER = 4096 };

/* Returns white as stored on one side: the peak of integers and of floats without a curve, or 1,
 * the end of a curve. */
static double white_of(const struct ssimcu_samples *samples, const struct ssimcu_pixel_rule *rule)
{
    if (!ssimcu_samples_are_float(samples->type)) return rule->peak;
    if (ssimcu_light_has_curve(&rule->light)) return 1;
    return ssimcu_light_has_gain(rule) ? 1.0 / (double)rule->light.gain
                                       : SSIMCU_PEAK / (double)samples->scale;
}

/* Returns whether composited samples are fractions of an integer peak. The peak is then a factor of
 * the unit, so that they become integers. */
static int are_fractions(const struct ssimcu_plan *plan, const double white[SSIMCU_PAIR])
{
    const struct ssimcu_pixel_rule *rule = plan->rule[0];
    return (rule[SSIMCU_REF].alpha || rule[SSIMCU_OUT].alpha) &&
           white[SSIMCU_REF] == white[SSIMCU_OUT] && white[SSIMCU_REF] <= MOST_OVER &&
           !ssimcu_samples_are_float(plan->samples[SSIMCU_REF].type) &&
           !ssimcu_samples_are_float(plan->samples[SSIMCU_OUT].type);
}

/* Returns the unit of a side without a curve if the other side has one. White is then at most 128,
 * because the pieces of a curve would otherwise be too large for ssimcu_curve_at. */
static double unit_beside_curve(double white)
{
    const double unit = ssimcu_unit_for(white);
    return white * unit > SSIMCU_CURVE_WHITE ? unit / 2 : unit;
}

/* Makes composited integers use the same steps as floats, which a unit rounds. */
static void set_as_floats(struct ssimcu_plan *plan)
{
    for (int slot = 0; slot < SSIMCU_PAIR; slot++)
        for (uint32_t pass = 0; pass < plan->passes; pass++)
            plan->rule[pass][slot].as_floats =
                !ssimcu_samples_are_float(plan->samples[slot].type) &&
                ssimcu_samples_are_float(plan->samples[!slot].type) &&
                plan->rule[pass][slot].alpha && !plan->rule[pass][slot].luma[1];
}

static void set_unit(struct ssimcu_plan *plan, int slot, double unit)
{
    for (uint32_t pass = 0; pass < plan->passes; pass++) {
        plan->rule[pass][slot].unit = (float)unit;
        plan->rule[pass][slot].white = plan->white;
    }
}

/* Returns whether a side's white becomes exactly this number of plane units although its unit is
 * rounded. */
static int makes_white(const struct ssimcu_plan *plan, int slot, double white, double common)
{
    const struct ssimcu_pixel_rule *rule = &plan->rule[0][slot];
    const int at_peak =
        ssimcu_samples_are_float(plan->samples[slot].type) && !ssimcu_light_has_gain(rule);
    const float stored = (float)(at_peak ? 1 / rule->opaque : white),
                unit = (float)(common / white);
    return stored * unit == (float)common;
}

/* Returns the common white of sides whose units are rounded: the highest that both reach
 * exactly. */
static double common_white(const struct ssimcu_plan *plan, const double white[SSIMCU_PAIR])
{
    for (double common = SSIMCU_PEAK; common > SSIMCU_PEAK / 2; common--)
        if (makes_white(plan, SSIMCU_REF, white[SSIMCU_REF], common) &&
            makes_white(plan, SSIMCU_OUT, white[SSIMCU_OUT], common))
            return common;
    return SSIMCU_PEAK;
}

void ssimcu_units_set(struct ssimcu_plan *plan)
{
    double white[SSIMCU_PAIR];
    for (int slot = 0; slot < SSIMCU_PAIR; slot++)
        white[slot] = white_of(&plan->samples[slot], &plan->rule[0][slot]);
    const int curve =
        ssimcu_light_has_curve(&plan->rule[0][SSIMCU_REF].light) ? SSIMCU_REF : SSIMCU_OUT;
    if (ssimcu_light_has_curve(&plan->rule[0][curve].light)) { /* its values can take any unit */
        const double other = white[!curve], unit = unit_beside_curve(other);
        plan->white = other * unit;
        set_unit(plan, !curve,
                 ssimcu_light_has_curve(&plan->rule[0][!curve].light) ? plan->white : unit);
        set_unit(plan, curve, plan->white);
        return;
    }
    const double over = are_fractions(plan, white) ? white[SSIMCU_REF] : 1;
    const double unit[SSIMCU_PAIR] = {over * ssimcu_unit_for(white[SSIMCU_REF] * over),
                                      over * ssimcu_unit_for(white[SSIMCU_OUT] * over)};
    const int same = white[SSIMCU_REF] * unit[SSIMCU_REF] == white[SSIMCU_OUT] * unit[SSIMCU_OUT];
    plan->white = same ? white[SSIMCU_REF] * unit[SSIMCU_REF] : common_white(plan, white);
    if (!same) set_as_floats(plan);
    for (int slot = 0; slot < SSIMCU_PAIR; slot++)
        set_unit(plan, slot, same ? unit[slot] : plan->white / white[slot]);
}
