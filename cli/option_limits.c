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

static bool take_ssim(ssimcu_run_options *run, uint32_t limit, double number)
{
    double *place = limit == SSIMCU_LIMIT_SCORE   ? &run->min_score
                    : limit == SSIMCU_LIMIT_FRAME ? &run->min_frame
                                                  : &run->min_tile;
    run->limits |= limit;
    *place = number;
    return metrics_allow(SSIMCU_METRIC_SSIM, number);
}

bool option_take_limit(void *field, const struct option_row *row, const char *text)
{
    ssimcu_run_options *run = field;
    const uint32_t limit = (uint32_t)row->least;
    ssimcu_metric metric = SSIMCU_METRIC_SSIM;
    const char *equals = strchr(text, '=');
    double number;
    if (equals && limit == SSIMCU_LIMIT_TILE) return false;
    if (equals && !metrics_find(text, (size_t)(equals - text), &metric)) return false;
    if (!option_number(equals ? equals + 1 : text, &number)) return false;
    if (metric == SSIMCU_METRIC_SSIM) return take_ssim(run, limit, number);
    const bool of_score = limit == SSIMCU_LIMIT_SCORE;
    *(of_score ? &run->score_limits : &run->frame_limits) |= 1u << metric;
    (of_score ? run->min_scores : run->min_frames)[metric] = number;
    return true; /* the library says what it may be */
}
