#include "options/parts.h"

#include "base/refuse.h"

/* Whether something beside the metrics is made of SSIM, so that a pair without it is an error. */
static bool asks_for_ssim(const ssimcu_run_options *given)
{
    const bool tiles = given->all_tiles || (given->tile != 0 && given->tile != SSIMCU_NONE);
    return tiles || given->map || given->limits != 0 || given->fail_on_hint;
}

ssimcu_status metric_options_take(struct options *options, ssimcu_message *message)
{
    const ssimcu_run_options *given = &options->run;
    static const uint32_t all = (1u << SSIMCU_METRICS) - 1, ssim = 1u << SSIMCU_METRIC_SSIM;
    if (given->metrics > all || (unsigned)given->metric >= SSIMCU_METRICS)
        return refuse(message, "--metric: no such metric");
    const uint32_t named = given->metrics | 1u << given->metric;
    options->settings.metrics = named == ssim ? 0 : named;
    if (named != ssim && given->compat == SSIMCU_COMPAT_NONE && asks_for_ssim(given))
        options->settings.metrics |= ssim;
    options->input.in_srgb = metrics_any_srgb(options->settings.metrics);
    return SSIMCU_OK;
}
