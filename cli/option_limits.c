#include "option_limits.h"

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

bool option_take_metrics(void *field, const struct option_row *row, const char *text)
{
    ssimcu_run_options *run = field;
    (void)row;
    run->metrics = 0;
    for (;; text++) {
        const size_t length = strcspn(text, ",");
        ssimcu_metric metric;
        if (!metrics_find(text, length, &metric) || run->metrics >> metric & 1) return false;
        if (run->metrics == 0) run->metric = metric;
        run->metrics |= 1u << metric;
        text += length;
        if (*text == '\0') return true;
    }
}

bool option_take_compat(void *field, const struct option_row *row, const char *text)
{
    ssimcu_compat *compat = field;
    (void)row;
    *compat = ssimcu_compat_find(text);
    return *compat != SSIMCU_COMPAT_NONE;
}

bool option_take_limit(void *field, const struct option_row *row, const char *text)
{
    ssimcu_run_options *run = field;
    ssimcu_metric metric = SSIMCU_METRIC_SSIM;
    const char *equals = row->least ? strchr(text, '=') : NULL;
    double number;
    if (equals && !metrics_find(text, (size_t)(equals - text), &metric)) return false;
    if (!option_number(equals ? equals + 1 : text, &number)) return false;
    if (metric == SSIMCU_METRIC_SSIM) return verbs_take_limit(run, row->name, number);
    const bool of_score = row->least == SSIMCU_LIMIT_SCORE;
    *(of_score ? &run->score_limits : &run->frame_limits) |= 1u << metric;
    (of_score ? run->min_scores : run->min_frames)[metric] = number;
    return true; /* the library says what it may be */
}
