/* The passes of a plan, and the rules that convert samples to planes. */
#include "plan/plan_rules.h"
#include "number/light.h"

#include "plan/view.h"

#include <string.h>

static int has_alpha(const ssimcu_view *view) { return view->channels % 2 == 0; }

/* Returns whether alpha may change the score. Without samples to check, it may. */
static int alpha_counts(const ssimcu_view *view)
{
    return has_alpha(view) && (!view->data[0] || ssimcu_view_is_transparent(view));
}

/* Returns the backgrounds that the pair is scored over, as bits 1 << ssimcu_background. */
static unsigned backgrounds(const ssimcu_settings *settings, const ssimcu_view pair[SSIMCU_PAIR])
{
    const unsigned none = 1u << SSIMCU_BACKGROUND_NONE, black = 1u << SSIMCU_BACKGROUND_BLACK,
                   white = 1u << SSIMCU_BACKGROUND_WHITE;
    if (settings->alpha == SSIMCU_ALPHA_IGNORE ||
        !(alpha_counts(&pair[SSIMCU_REF]) || alpha_counts(&pair[SSIMCU_OUT])))
        return none;
    switch (settings->alpha) {
    case SSIMCU_ALPHA_BLACK: return black;
    case SSIMCU_ALPHA_WHITE: return white;
    default: return black | white;
    }
}

/* Returns whether 8-bit samples are widened, v * 257, because the other side has 16 bits. */
static int is_widened(const ssimcu_view *view, const ssimcu_view *other)
{
    return view->type == SSIMCU_TYPE_U8 && view->peak == UINT8_MAX &&
           other->type == SSIMCU_TYPE_U16 && other->peak == UINT16_MAX;
}

/* Returns the curve of one side. */
static uint32_t transfer_of(const ssimcu_settings *settings, const ssimcu_view *view)
{
    switch (settings->transfer) {
    case SSIMCU_TRANSFER_NONE: return SSIMCU_LIGHT_NONE;
    case SSIMCU_TRANSFER_AUTO: return view->linear ? SSIMCU_LIGHT_SRGB : SSIMCU_LIGHT_NONE;
    default: return (uint32_t)settings->transfer;
    }
}

/* Samples of a pair are counted on both sides or on neither. Without SSIM they always are, because
 * nothing else would detect one that is not finite. */
static struct ssimcu_light_rule make_light(const ssimcu_settings *settings, const ssimcu_view *view,
                                           const ssimcu_view *other, int has_ssim)
{
    const double gain = settings->gain == 0 ? 1 : settings->gain, factor = gain / view->peak;
    const uint32_t transfer = transfer_of(settings, view);
    const int wanted = !has_ssim || transfer != SSIMCU_LIGHT_NONE || gain != 1 ||
                       settings->nan_zero || transfer_of(settings, other) != SSIMCU_LIGHT_NONE;
    const int floats = ssimcu_samples_are_float((uint32_t)view->type);
    return (struct ssimcu_light_rule){
        .on = wanted && floats,
        .counted = (wanted || settings->count_range) && floats,
        .ranged = settings->count_range && transfer == SSIMCU_LIGHT_NONE,
        .transfer = transfer,
        .nan_zero = settings->nan_zero != 0,
        .gain = (float)factor,
        .gain_rest = (float)(factor - (double)(float)factor),
        .nits = (float)(settings->white == 0 ? 100 : settings->white),
    };
}

static struct ssimcu_pixel_rule make_rule(const ssimcu_settings *settings, const ssimcu_view *view,
                                          const ssimcu_view *other, const struct ssimcu_plan *plan,
                                          ssimcu_background background)
{
    static const uint32_t weights[][3] = {
        [SSIMCU_COLOR_RGB] = {0, 0, 0},
        [SSIMCU_COLOR_Y709] = {2126, 7152, 722},
        [SSIMCU_COLOR_Y601] = {2990, 5870, 1140},
    };
    const int widened = is_widened(view, other);
    const uint32_t peak = widened                                          ? UINT16_MAX
                          : ssimcu_samples_are_float((uint32_t)view->type) ? UINT8_MAX
                                                                           : (uint32_t)view->peak;
    struct ssimcu_pixel_rule rule = {
        .channels = view->channels,
        .planes = plan->shape.planes,
        .bits = view->type == SSIMCU_TYPE_U8 ? 8 : 16,
        .peak = peak,
        .low_bits = ssimcu_view_low_bits(view),
        .widen = widened ? 257 : 1,
        .alpha = has_alpha(view) && background != SSIMCU_BACKGROUND_NONE,
        .background = background == SSIMCU_BACKGROUND_WHITE ? peak : 0,
        .opaque = 1 / view->peak,
        .light = make_light(settings, view, other, ssimcu_plan_has_ssim(plan)),
    };
    if (background == SSIMCU_BACKGROUND_WHITE) rule.back_light = 1 / ssimcu_curve_gain(&rule.light);
    if (rule.channels >= 3) /* grey is its own luma */
        memcpy(rule.luma, weights[settings->color], sizeof rule.luma);
    return rule;
}

void ssimcu_plan_set_passes(struct ssimcu_plan *plan, const ssimcu_settings *settings,
                            const ssimcu_view pair[SSIMCU_PAIR])
{
    const unsigned over = backgrounds(settings, pair);
    for (unsigned b = SSIMCU_BACKGROUND_NONE; b <= SSIMCU_BACKGROUND_WHITE; b++) {
        if (!(over & 1u << b)) continue;
        plan->background[plan->passes] = (ssimcu_background)b;
        for (int slot = 0; slot < SSIMCU_PAIR; slot++)
            plan->rule[plan->passes][slot] =
                make_rule(settings, &pair[slot], &pair[!slot], plan, (ssimcu_background)b);
        plan->passes++;
    }
}
