#include "option_values.h"

#include "facts/metrics.h"
#include "options/verbs.h"

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

bool option_take_limit(struct option_given given)
{
    ssimcu_run_options *run = given.field;
    ssimcu_metric metric = SSIMCU_METRIC_SSIM;
    const bool of_score = strcmp(given.row->name, "min-score") == 0;
    const char *equals = given.row->least ? strchr(given.text, '=') : NULL;
    double number;
    if (equals && !metrics_find(given.text, (size_t)(equals - given.text), &metric)) return false;
    if (!option_number(equals ? equals + 1 : given.text, &number)) return false;
    if (metric == SSIMCU_METRIC_SSIM && !of_score)
        return verbs_take_limit(run, given.row->name, number);
    *(of_score ? &run->score_limits : &run->frame_limits) |= 1u << metric;
    (of_score ? run->min_scores : run->min_frames)[metric] = number;
    /* The library says what a limit of other metrics may be. */
    return metric != SSIMCU_METRIC_SSIM || metrics_allow(metric, number);
}
