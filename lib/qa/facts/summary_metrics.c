/* What a metric came to over many frames. */
#include "facts/summary.h"

#include <math.h>

/* Returns the PSNR of the mean of mse, which counts identical frames as any other. */
static double psnr_of_all(const struct summary_score *score, size_t count)
{
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        if (isnan(score[i].value[SSIMCU_METRIC_PSNR])) continue;
        sum += score[i].mse;
        n++;
    }
    return sum > 0 ? 10 * log10((double)n / sum) : INFINITY;
}

struct summary_metric summary_metric_of(const struct summary_score *score, size_t count,
                                        ssimcu_metric metric, double *memory)
{
    struct summary_metric own = {0};
    bool undefined = false;
    for (size_t i = 0; i < count; i++) {
        undefined = undefined || (isnan(score[i].value[metric]) && score[i].metrics >> metric & 1);
        if (isnan(score[i].value[metric])) continue;
        own.identical += isinf(score[i].value[metric]);
        memory[own.scored++] = score[i].value[metric];
    }
    if (undefined) own.score = NAN;
    if (own.scored == 0) return own;
    own.all = statistics_of(memory, own.scored, metrics_best(metric));
    /* A NaN is the score of the run as well. Of frames that are all alike it is the value of each,
     * to the bit. */
    own.score = undefined                     ? NAN
                : own.all.min == own.all.max  ? own.all.min
                : metrics_of_mean_mse(metric) ? psnr_of_all(score, count)
                                              : own.all.mean;
    return own;
}
