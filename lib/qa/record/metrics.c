#include "record/metrics.h"

#include "metric_table.h"

#include <math.h>
#include <string.h>

const char *metrics_name(ssimcu_metric metric) { return ssimcu_metric_row(metric)->name; }
const char *metrics_key(ssimcu_metric metric) { return ssimcu_metric_row(metric)->key; }
const char *metrics_title(ssimcu_metric metric) { return ssimcu_metric_row(metric)->title; }

bool metrics_find(const char *name, size_t length, ssimcu_metric *metric)
{
    for (int m = 0; m < SSIMCU_METRICS; m++) {
        const char *const known = metrics_name((ssimcu_metric)m);
        if (strlen(known) != length || memcmp(known, name, length) != 0) continue;
        *metric = (ssimcu_metric)m;
        return true;
    }
    return false;
}

double metrics_best(ssimcu_metric metric) { return ssimcu_metric_row(metric)->best; }
bool metrics_near_1(ssimcu_metric metric) { return ssimcu_metric_row(metric)->near_1; }
int metrics_digits(ssimcu_metric metric) { return ssimcu_metric_row(metric)->digits; }
bool metrics_has_channels(ssimcu_metric metric) { return ssimcu_metric_row(metric)->has_channels; }
bool metrics_may_be_nan(ssimcu_metric metric) { return ssimcu_metric_row(metric)->may_be_nan; }
bool metrics_of_mean_mse(ssimcu_metric metric) { return ssimcu_metric_row(metric)->of_mean_mse; }

uint32_t metrics_that_fit(uint32_t metrics, uint32_t width, uint32_t height, bool pads)
{
    const uint32_t side = width < height ? width : height;
    uint32_t fit = 0;
    for (int m = 0; m < SSIMCU_METRICS; m++) {
        const bool padded = m == SSIMCU_METRIC_SSIM && pads;
        if (padded || side >= ssimcu_metric_row((ssimcu_metric)m)->least) fit |= 1u << m;
    }
    return metrics & fit;
}

bool metrics_any_srgb(uint32_t metrics)
{
    for (int m = 0; m < SSIMCU_METRICS; m++)
        if (metrics >> m & 1 && ssimcu_metric_row((ssimcu_metric)m)->is_srgb) return true;
    return false;
}

bool metrics_allow(ssimcu_metric metric, double limit)
{
    const struct ssimcu_metric_row *const row = ssimcu_metric_row(metric);
    return limit > row->above && limit <= row->most;
}

const char *metrics_expected(ssimcu_metric metric) { return ssimcu_metric_row(metric)->expected; }

const char *metrics_text(char text[TEXT_DIGITS], ssimcu_metric metric, double value)
{
    if (isnan(value)) return strcpy(text, "nan"); /* printf would show its sign */
    return text_value(text, value, metrics_best(metric));
}
