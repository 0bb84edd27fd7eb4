/* The results of the metrics, in lines for users. */
#include "messages/describe.h"

#include "record/compat.h"
#include "record/record.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

void describe_compat(ssimcu_compat compat, const struct line_sink *to)
{
    if (compat_definition(compat))
        print_line(to, "contract: the numbers of %s: %s", ssimcu_compat_name(compat),
                   compat_definition(compat));
}

const char *describe_spread(char text[DESCRIBE_SPREAD], ssimcu_metric metric,
                            const ssimcu_statistics *s)
{
    char min[TEXT_DIGITS], p1[TEXT_DIGITS], p5[TEXT_DIGITS], p50[TEXT_DIGITS], max[TEXT_DIGITS];
    snprintf(text, DESCRIBE_SPREAD, "min %s, p1 %s, p5 %s, p50 %s, max %s",
             metrics_text(min, metric, s->min), metrics_text(p1, metric, s->p1),
             metrics_text(p5, metric, s->p5), metrics_text(p50, metric, s->p50),
             metrics_text(max, metric, s->max));
    return text;
}

/* Returns whether SSIM is the only metric with values. */
static bool is_alone(const struct summary *summary)
{
    for (int m = SSIMCU_METRIC_PSNR; m < SSIMCU_METRICS; m++)
        if (summary->numbers.metrics[m].scored > 0) return false;
    return true;
}

/* Prints the results of a metric that has values. SSIM is named only next to other metrics. */
static void print_metric(const struct line_sink *to, const struct summary *summary,
                         ssimcu_metric metric)
{
    const struct summary_metric *own = &summary->numbers.metrics[metric];
    const bool named = metric != SSIMCU_METRIC_SSIM || !is_alone(summary);
    char score[TEXT_DIGITS], mean[TEXT_DIGITS], spread[DESCRIBE_SPREAD],
        of_all[64] = "", harmonic[40] = "", identical[64] = "", others[64] = "";
    if (own->scored == 0) return;
    if (metrics_of_mean_mse(metric))
        snprintf(of_all, sizeof of_all, "of the mean mse %s, ",
                 metrics_text(score, metric, own->score));
    if (metric == SSIMCU_METRIC_SSIM && own->all.has_harmonic_mean)
        snprintf(harmonic, sizeof harmonic, ", harmonic %s",
                 text_digits(score, own->all.harmonic_mean));
    if (own->identical > 0)
        snprintf(identical, sizeof identical, "; %" PRIu64 " identical frame%s, not in the mean",
                 own->identical, text_plural(own->identical));
    if (own->scored < summary->scored)
        snprintf(others, sizeof others, "; of %" PRIu64 " frames only", own->scored);
    print_line(to, "%s%s%smean %s%s, %s, stddev %.9f%s%s", named ? metrics_name(metric) : "",
               named ? ": " : "", of_all, metrics_text(mean, metric, own->all.mean), harmonic,
               describe_spread(spread, metric, &own->all), own->all.stddev, identical, others);
}

void describe_statistics(const struct line_sink *to, const struct summary *summary)
{
    for (int m = 0; m < SSIMCU_METRICS; m++) print_metric(to, summary, m);
}

void describe_pair_metrics(const struct line_sink *to, const struct record *record)
{
    for (int m = 0; m < SSIMCU_METRICS && record->metrics != 0; m++) {
        const double *channel = record_metric_channels(record, m);
        char value[TEXT_DIGITS], channels[128] = "", mse[32] = "";
        size_t used = 0;
        if (!record_has(record, m)) continue;
        for (uint32_t c = 0; channel && c < record->scored.channels && record->scored.channels > 1;
             c++)
            used += (size_t)snprintf(channels + used, sizeof channels - used, ", %s %s",
                                     contract_channel(record->scored.layout, c),
                                     metrics_text(value, m, channel[c]));
        if (metrics_of_mean_mse(m)) snprintf(mse, sizeof mse, ", mse %.9g", record->mse);
        print_line(to, "%s %s%s%s", metrics_name(m),
                   metrics_text(value, m, record_value(record, m)), channels, mse);
    }
}

/* ---- Facts from containers: bit rate, and frames missing by their times ---------------------- */

static void print_gap(const struct line_sink *to, const struct times_gap *gap)
{
    const char *const side = gap->side == 0 ? "REF" : "OUT";
    if (gap->frames < 1)
        print_line(to, "times: frame %" PRId64 " of %s comes late", gap->frame, side);
    else
        print_line(to, "times: %s lacks %" PRId64 " frame%s before frame %" PRId64 ", by its times",
                   side, gap->frames, text_plural(gap->frames), gap->frame);
}

void describe_coded(const struct line_sink *to, const struct summary *summary)
{
    enum { NAMED = 4 };
    const struct summary_coded *const coded = &summary->coded;
    const struct times *const times = &summary->times;
    if (coded->frames > 0 && !isnan(coded->rate))
        print_line(to, "coded: %.1f kbit/s, %" PRIu64 " bytes in %.3f s", coded->rate / 1000,
                   coded->bytes, coded->seconds);
    for (uint64_t i = 0; i < times->gaps && i < NAMED; i++) print_gap(to, &times->gap[i]);
    if (times->gaps > NAMED)
        print_line(to, "times: %" PRIu64 " gaps in all: the rate of a side varies", times->gaps);
}
