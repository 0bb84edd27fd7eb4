#include "option_values.h"

#include "facts/metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool option_number(const char *text, double *number)
{
    char *end;
    *number = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*number);
}

bool option_take_metrics(struct option_given given)
{
    ssimcu_run_options *run = given.field;
    run->metrics = 0;
    for (;; given.text++) {
        const size_t length = strcspn(given.text, ",");
        ssimcu_metric metric;
        if (!metrics_find(given.text, length, &metric) || run->metrics >> metric & 1) return false;
        if (run->metrics == 0) run->metric = metric;
        run->metrics |= 1u << metric;
        given.text += length;
        if (*given.text == '\0') return true;
    }
}

bool option_take_compat(struct option_given given)
{
    ssimcu_compat *compat = given.field;
    *compat = ssimcu_compat_find(given.text);
    return *compat != SSIMCU_COMPAT_NONE;
}

static bool take_ssim(ssimcu_run_options *run, uint32_t limit, double number)
{
    double *place = limit == SSIMCU_LIMIT_SCORE   ? &run->min_score
                    : limit == SSIMCU_LIMIT_FRAME ? &run->min_frame
                                                  : &run->min_tile;
    run->limits |= limit;
    *place = number;
    return metrics_allow(SSIMCU_METRIC_SSIM, number);
}

bool option_take_limit(struct option_given given)
{
    ssimcu_run_options *run = given.field;
    const uint32_t limit = (uint32_t)given.row->least;
    ssimcu_metric metric = SSIMCU_METRIC_SSIM;
    const char *equals = strchr(given.text, '=');
    double number;
    if (equals && limit == SSIMCU_LIMIT_TILE) return false;
    if (equals && !metrics_find(given.text, (size_t)(equals - given.text), &metric)) return false;
    if (!option_number(equals ? equals + 1 : given.text, &number)) return false;
    if (metric == SSIMCU_METRIC_SSIM) return take_ssim(run, limit, number);
    const bool of_score = limit == SSIMCU_LIMIT_SCORE;
    *(of_score ? &run->score_limits : &run->frame_limits) |= 1u << metric;
    (of_score ? run->min_scores : run->min_frames)[metric] = number;
    return true; /* the library says what it may be */
}
