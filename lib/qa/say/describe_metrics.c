/* What the metrics came to, in lines for a person. */
#include "say/describe.h"

#include "facts/compat.h"
#include "facts/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void describe_compat(ssimcu_compat compat, const struct say *to)
{
    if (compat_definition(compat))
        say(to, "contract: the numbers of %s: %s", ssimcu_compat_name(compat),
            compat_definition(compat));
}

/* Says what SSIM came to, if there is any, by its name if it is not alone. */
static void say_ssim(const struct say *to, const struct summary *summary)
{
    const ssimcu_statistics *s = &summary->numbers.metrics[SSIMCU_METRIC_SSIM].all;
    const uint64_t scored = summary->numbers.metrics[SSIMCU_METRIC_SSIM].scored;
    bool alone = true;
    char others[64] = "", mean[TEXT_DIGITS], min[TEXT_DIGITS], max[TEXT_DIGITS], p1[TEXT_DIGITS],
         p5[TEXT_DIGITS], p50[TEXT_DIGITS], digits[TEXT_DIGITS], harmonic[40] = "";
    if (scored == 0) return;
    if (scored < summary->scored)
        snprintf(others, sizeof others, "; of %" PRIu64 " frames alone", scored);
    if (s->has_harmonic_mean)
        snprintf(harmonic, sizeof harmonic, ", harmonic %s", text_digits(digits, s->harmonic_mean));
    for (int m = SSIMCU_METRIC_PSNR; m < SSIMCU_METRICS; m++)
        alone = alone && summary->numbers.metrics[m].scored == 0;
    say(to, "%s%smean %s%s, min %s, p1 %s, p5 %s, p50 %s, max %s, stddev %.9f%s",
        alone ? "" : metrics_name(SSIMCU_METRIC_SSIM), alone ? "" : ": ",
        text_digits(mean, s->mean), harmonic, text_digits(min, s->min), text_digits(p1, s->p1),
        text_digits(p5, s->p5), text_digits(p50, s->p50), text_digits(max, s->max), s->stddev,
        others);
}

/* Says what a metric beside SSIM came to, if there are values of it. */
static void say_metric(const struct say *to, const struct summary *summary, ssimcu_metric metric)
{
    const struct summary_metric *own = &summary->numbers.metrics[metric];
    const ssimcu_statistics *s = &own->all;
    char score[TEXT_DIGITS], mean[TEXT_DIGITS], min[TEXT_DIGITS], p1[TEXT_DIGITS], p5[TEXT_DIGITS],
        p50[TEXT_DIGITS], max[TEXT_DIGITS], of_all[64] = "", others[128] = "";
    if (own->scored == 0) return;
    if (metrics_of_mean_mse(metric))
        snprintf(of_all, sizeof of_all, " of the mean mse %s,",
                 metrics_text(score, metric, own->score));
    if (own->identical > 0)
        snprintf(others, sizeof others, "; %" PRIu64 " identical frame%s, not in the mean",
                 own->identical, own->identical == 1 ? "" : "s");
    const size_t used = strlen(others);
    if (own->scored < summary->scored)
        snprintf(others + used, sizeof others - used, "; of %" PRIu64 " frames alone", own->scored);
    say(to, "%s:%s mean %s, min %s, p1 %s, p5 %s, p50 %s, max %s, stddev %.9f%s",
        metrics_name(metric), of_all, metrics_text(mean, metric, s->mean),
        metrics_text(min, metric, s->min), metrics_text(p1, metric, s->p1),
        metrics_text(p5, metric, s->p5), metrics_text(p50, metric, s->p50),
        metrics_text(max, metric, s->max), s->stddev, others);
}

void describe_statistics(const struct say *to, const struct summary *summary)
{
    say_ssim(to, summary);
    for (int m = SSIMCU_METRIC_PSNR; m < SSIMCU_METRICS; m++) say_metric(to, summary, m);
}

void describe_pair_metrics(const struct say *to, const struct record *record)
{
    for (int m = 0; m < SSIMCU_METRICS && record->metrics != 0; m++) {
        const double *channel = record_metric_channels(record, m);
        char value[TEXT_DIGITS], channels[128] = "", mse[32] = "";
        size_t used = 0;
        if (!record_has(record, m)) continue;
        for (uint32_t c = 0; channel && c < record->channels && record->channels > 1; c++)
            used += (size_t)snprintf(channels + used, sizeof channels - used, ", %s %s",
                                     contract_channel(record->layout, c),
                                     metrics_text(value, m, channel[c]));
        if (metrics_of_mean_mse(m)) snprintf(mse, sizeof mse, ", mse %.9g", record->mse);
        say(to, "%s %s%s%s", metrics_name(m), metrics_text(value, m, record_value(record, m)),
            channels, mse);
    }
}
