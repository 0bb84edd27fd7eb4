#include "report/page/rates.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Below this share of all qualities, deltas cover only a small range. */
static const double LITTLE = 0.5;

uint32_t rates_metrics(const struct index *index)
{
    uint32_t metrics = 0;
    for (size_t i = 0; i < index->count; i++)
        for (int m = 0; index->row[i].summary && m < SSIMCU_METRICS; m++)
            if (index->row[i].summary->numbers.metrics[m].scored > 0) metrics |= 1u << m;
    return metrics;
}

void rates_order(const struct index *index, ssimcu_metric order[SSIMCU_METRICS])
{
    size_t count = 1;
    order[0] = SSIMCU_METRIC_SSIM;
    for (size_t i = index->count; i-- > 0;)
        if (index->row[i].summary) order[0] = index->row[i].summary->metric;
    for (int m = 0; m < SSIMCU_METRICS; m++)
        if (m != (int)order[0]) order[count++] = (ssimcu_metric)m;
}

/* Inserts a point in order of rate. */
static void insert(struct rate_curve *curve, struct bd_point point, size_t out)
{
    size_t at = curve->count;
    if (at == BD_POINTS) return;
    for (; at > 0 && curve->point[at - 1].rate > point.rate; at--) {
        curve->point[at] = curve->point[at - 1];
        curve->out[at] = curve->out[at - 1];
    }
    curve->point[at] = point;
    curve->out[at] = out;
    curve->count++;
}

void rates_collect(const struct index *index, ssimcu_metric metric, unsigned group,
                   struct rate_curve *curve)
{
    curve->count = 0;
    for (size_t i = 0; i < index->count; i++) {
        const struct index_row *const row = &index->row[i];
        if (!row->summary || (group > 0 && row->group != group)) continue;
        const struct bd_point point = {row->summary->coded.rate,
                                       row->summary->numbers.metrics[metric].scored > 0
                                           ? row->summary->numbers.metrics[metric].score
                                           : NAN};
        if (point.rate > 0 && isfinite(point.rate) && isfinite(point.quality))
            insert(curve, point, i);
    }
}

struct bd rates_compare(const struct index *index, ssimcu_metric metric, unsigned group)
{
    struct rate_curve first, second;
    rates_collect(index, metric, 1, &first);
    rates_collect(index, metric, group, &second);
    return bd_of(first.point, first.count, second.point, second.count);
}

const char *rates_note(const struct bd *bd, ssimcu_metric metric, char text[RATES_NOTE])
{
    char at[TEXT_DIGITS], little[80] = "";
    text[0] = '\0';
    if (bd->lack == BD_FEW)
        return strcpy(text, "a group has fewer than two OUTs with a known bit rate");
    if (bd->lack == BD_FALLS)
        return strcpy(text, "the quality of a group does not rise with its rate");
    if (isnan(bd->rate))
        return strcpy(text, isnan(bd->quality) ? "the curves overlap neither in quality nor in rate"
                                               : "the curves do not overlap in quality");
    if (bd->share < LITTLE)
        snprintf(little, sizeof little, "%s%.0f %% of the qualities overlap",
                 bd->crosses ? "; only " : "only ", 100 * bd->share);
    if (bd->crosses)
        snprintf(text, RATES_NOTE, "the curves cross at %.*s%s",
                 (int)strlen(metrics_text(at, metric, bd->at)) - 3, at, little);
    else if (isnan(bd->quality))
        snprintf(text, RATES_NOTE, "the curves do not overlap in rate%s%s", little[0] ? "; " : "",
                 little);
    else
        snprintf(text, RATES_NOTE, "%s", little);
    return text;
}
