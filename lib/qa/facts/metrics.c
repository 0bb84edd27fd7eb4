#include "facts/metrics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const metrics_names[] = {METRIC_SSIM, METRIC_PSNR, METRIC_MS_SSIM, METRIC_SSIMULACRA2,
                                     NULL};
const char *const metrics_keys[] = {"ssim", "psnr", "ms_ssim", "ssimulacra2", NULL};
const char *const metrics_titles[] = {"SSIM", "PSNR", "MS-SSIM", "SSIMULACRA2", NULL};

/* What a lower limit may be, beside the best value, which is finite here. */
static const struct {
    double above, most;
    const char *expected;
} RANGES[SSIMCU_METRICS] = {{-1, 1, "a number above -1, at most 1"},
                            {0, 200, "a number of dB above 0, at most 200"},
                            {0, 1, "a number above 0, at most 1"},
                            {-100, 100, "a number above -100, at most 100"}};

bool metrics_find(const char *name, size_t length, ssimcu_metric *metric)
{
    for (int m = 0; m < SSIMCU_METRICS; m++)
        if (strlen(metrics_names[m]) == length && memcmp(metrics_names[m], name, length) == 0) {
            *metric = (ssimcu_metric)m;
            return true;
        }
    return false;
}

double metrics_best(ssimcu_metric metric)
{
    return metric == SSIMCU_METRIC_PSNR ? INFINITY : RANGES[metric].most;
}

bool metrics_allow(ssimcu_metric metric, double limit)
{
    return limit > RANGES[metric].above && limit <= RANGES[metric].most;
}

const char *metrics_expected(ssimcu_metric metric) { return RANGES[metric].expected; }

const char *metrics_text(char text[TEXT_DIGITS], ssimcu_metric metric, double value)
{
    if (isnan(value)) return strcpy(text, "nan"); /* whose sign printf would show */
    return text_value(text, value, metrics_best(metric));
}
