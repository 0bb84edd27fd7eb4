/* Computes scores from a plan's results. */

#include "fail.h"
#include "mean.h"
#include "plan/metrics.h"

#include <math.h>
#include <stdio.h>

static void score_pass(const struct ssimcu_plan *plan, const double *sums, ssimcu_score *score)
{
    const struct ssimcu_shape *shape = &plan->shape;
    const double positions = (double)shape->map_width * shape->map_height;
    int all_are_1 = 1;
    score->score = 0;
    for (uint32_t c = 0; c < shape->planes; c++) {
        score->channel[c] = ssimcu_mean_of(1.0 - sums[c] / positions, sums[c] == 0);
        score->score += score->channel[c];
        all_are_1 &= sums[c] == 0;
    }
    score->score = ssimcu_mean_of(score->score / shape->planes, all_are_1);
}

ssimcu_status ssimcu_plan_not_finite(const struct ssimcu_plan *plan,
                                     const struct ssimcu_light_counts counts[SSIMCU_PAIR],
                                     ssimcu_message *message)
{
    static const char *const names[] = {"ref", "out"};
    const int limited = plan->rule[0][SSIMCU_REF].light.transfer == SSIMCU_LIGHT_NONE;
    char side[SSIMCU_PAIR][96] = {"", ""};
    for (int slot = 0; slot < SSIMCU_PAIR; slot++) {
        const unsigned long long count = counts[slot].not_finite, first = ~counts[slot].first;
        if (count > 0)
            snprintf(side[slot], sizeof side[slot],
                     "%s: %llu sample%s, the first at x %llu, y %llu", names[slot], count,
                     count > 1 ? "s" : "", first % plan->shape.width, first / plan->shape.width);
    }
    FAIL(DATA, "not finite (NaN or infinity%s): %s%s%s",
         limited ? ", or more than 65536 times the peak" : "", side[0],
         side[0][0] && side[1][0] ? "; " : "", side[1]);
}

/* Copies the counts of a pair's samples. Errors: DATA (not finite). */
static ssimcu_status take_counts(const struct ssimcu_plan *plan,
                                 const struct ssimcu_light_counts counts[SSIMCU_PAIR],
                                 ssimcu_light light[SSIMCU_PAIR], ssimcu_message *message)
{
    for (int slot = 0; slot < SSIMCU_PAIR; slot++) {
        if (counts[slot].not_finite > 0 && !plan->rule[0][slot].light.nan_zero)
            return ssimcu_plan_not_finite(plan, counts, message);
        light[slot] = (ssimcu_light){counts[slot].clamped, counts[slot].not_finite};
    }
    return SSIMCU_OK;
}

/* Returns a score without SSIM. */
static ssimcu_score start_score(const struct ssimcu_plan *plan, ssimcu_background background,
                                const ssimcu_light light[SSIMCU_PAIR])
{
    return (ssimcu_score){.struct_size = sizeof(ssimcu_score),
                          .score = NAN,
                          .channels = plan->shape.planes,
                          .bits = plan->bits,
                          .background = background,
                          .light = {light[SSIMCU_REF], light[SSIMCU_OUT]}};
}

/* Sets the SSIM of one pair like ssimcu_plan_score. If `counts` is NULL, nothing is counted. */
static ssimcu_status score_passes(const struct ssimcu_plan *plan,
                                  const struct ssimcu_results *results, uint32_t pair,
                                  const struct ssimcu_light_counts *counts,
                                  const ssimcu_light light[SSIMCU_PAIR], ssimcu_score *score,
                                  uint32_t *kept, ssimcu_message *message)
{
    for (uint32_t pass = 0; pass < plan->passes; pass++) {
        ssimcu_score candidate = start_score(plan, plan->background[pass], light);
        const size_t place = (size_t)pass * plan->pairs + pair;
        score_pass(plan, results->sums + place * plan->shape.planes, &candidate);
        if (!isfinite(candidate.score) && light[0].not_finite + light[1].not_finite > 0)
            return ssimcu_plan_not_finite(plan, counts, message);
        if (!isfinite(candidate.score))
            FAIL(DATA, "ref or out: a sample is not finite, or more than 65536 times the peak");
        if (pass > 0 && candidate.score >= score->score) continue;
        *score = candidate;
        *kept = pass;
    }
    return SSIMCU_OK;
}

ssimcu_status ssimcu_plan_score(const struct ssimcu_plan *plan,
                                const struct ssimcu_results *results, uint32_t pair,
                                ssimcu_score *score, uint32_t *kept, ssimcu_message *message)
{
    ssimcu_light light[SSIMCU_PAIR] = {{0, 0}, {0, 0}};
    const struct ssimcu_light_counts *counts =
        ssimcu_plan_counts(plan) ? results->counts + (size_t)pair * SSIMCU_PAIR : NULL;
    if (counts) TRY(take_counts(plan, counts, light, message));
    if (ssimcu_plan_has_ssim(plan)) {
        TRY(score_passes(plan, results, pair, counts, light, score, kept, message));
    } else { /* no score shows which of two backgrounds is worse */
        *score = start_score(plan, plan->passes == 1 ? plan->background[0] : SSIMCU_BACKGROUND_NONE,
                             light);
        for (uint32_t c = 0; c < score->channels; c++) score->channel[c] = NAN;
        *kept = 0;
    }
    ssimcu_metrics_score(plan, results->metrics ? &results->metrics[pair] : NULL, score);
    return SSIMCU_OK;
}

const double *ssimcu_plan_means(const struct ssimcu_plan *plan,
                                const struct ssimcu_results *results, uint32_t pair, uint32_t pass)
{
    return results->means + ((size_t)pass * plan->pairs + pair) * ssimcu_plan_means_of_pair(plan);
}
