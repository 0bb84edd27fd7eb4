/* The overlaid curves of several OUTs: their worst tiles, and their scores. */
#include "report/page/page.h"
#include "report/page/page_index.h"
#include "report/page/plot.h"
#include "report/page/rates.h"

#include <math.h>

enum {
    HEIGHT = 240,
    TOP = 4,
    LANE = 10,        /* height and distance of the lane that shows which OUT is the lowest */
    FOOT = 26 + LANE, /* height of everything below the curves, down to the frames' numbers */
    NAMES = 5         /* frames that are named */
};

struct overlay {
    const struct index *index;
    ssimcu_metric metric;
    bool tile;                   /* the curves show tiles, else the metric */
    int fault;                   /* limit of the curves */
    const struct limits *limits; /* of the last OUT */
    const struct report *longest;
    size_t outs; /* OUTs with curves; the columns are those of the longest OUT */
    struct plot plot;
};

static struct plot_values values_of(const struct overlay *overlay, size_t out)
{
    return (struct plot_values){overlay->index->row[out].report, overlay->metric, overlay->tile,
                                false};
}

/* Finds the ends of the axis and the longest OUT. Returns false if there is nothing to draw. */
static bool measure(struct overlay *overlay, struct plot_range *range)
{
    bool any = false;
    *range = plot_range_of(overlay->metric);
    for (size_t i = 0; i < overlay->index->count; i++) {
        const struct index_row *row = &overlay->index->row[i];
        const struct plot_values values = values_of(overlay, i);
        if (!row->report) continue;
        overlay->outs++;
        overlay->limits = &row->verdict->limits;
        if (!overlay->longest || row->report->count > overlay->longest->count)
            overlay->longest = row->report;
        for (size_t k = 0; k < row->report->count; k++) {
            any = any || !isnan(plot_value(&values, k));
            plot_widen(range, plot_value(&values, k));
        }
    }
    if (any) plot_widen(range, limits_number(overlay->limits, overlay->fault));
    return any && overlay->longest->count > 1;
}

/* Returns the OUT with the lowest value in a column, or the number of OUTs if there is none. */
static size_t worst_of(const struct overlay *overlay, size_t column)
{
    const size_t count = overlay->plot.count, columns = overlay->plot.columns;
    size_t worst = overlay->index->count;
    double least = INFINITY;
    for (size_t i = 0; i < overlay->index->count; i++) {
        const struct plot_values values = values_of(overlay, i);
        for (size_t k = column * count / columns; k < (column + 1) * count / columns; k++)
            if (plot_value(&values, k) < least) worst = i, least = plot_value(&values, k);
    }
    return worst;
}

/* Shows below the curves which OUT is the lowest in each column. */
static void add_worst(const struct overlay *overlay)
{
    const size_t columns = overlay->plot.columns, outs = overlay->index->count;
    for (size_t i = 0, end; i < columns; i = end) {
        const size_t worst = worst_of(overlay, i);
        for (end = i + 1; end < columns && worst_of(overlay, end) == worst;) end++;
        if (worst == outs) continue;
        const struct model span =
            plot_mark(&overlay->plot, "spans", 100 * (double)i / (double)columns, TOP + HEIGHT + 4);
        model_text(span, "class", "f%zu", worst % PLOT_COLOURS);
        model_text(span, "width", "%.3f", 100 * (double)(end - i) / (double)columns);
        model_texts(span, "title", page_base(overlay->index->row[worst].name));
    }
}

static void add_names(const struct overlay *overlay)
{
    const size_t count = overlay->plot.count, names = count < NAMES ? count : NAMES;
    char name[TEXT_FRAME];
    for (size_t i = 0; i < names; i++) {
        const size_t at = (count - 1) * i / (names - 1);
        plot_name(&overlay->plot, "frame", plot_x(&overlay->plot, at), TOP + HEIGHT + LANE + 19,
                  page_name(overlay->longest, at, name));
    }
}

static void add_limit(const struct overlay *overlay)
{
    const double limit = limits_number(overlay->limits, overlay->fault);
    char name[VERDICT_LIMIT];
    if (!isfinite(limit)) return;
    plot_limit(&overlay->plot, "", (const double[]){0, 100}, limit);
    plot_limit_name(&overlay->plot, "", 0, limit, false,
                    verdict_limit_text(name, overlay->limits, overlay->fault));
}

static void add_plot(struct model page, const struct index *index, bool tile, ssimcu_metric metric)
{
    const bool ssim = metric == SSIMCU_METRIC_SSIM;
    struct overlay overlay = {.index = index,
                              .metric = metric,
                              .tile = tile,
                              .fault = tile ? SSIMCU_LIMIT_MIN_TILE : limits_fault(metric)};
    struct plot_range range;
    if (!measure(&overlay, &range)) return;
    const struct model to = model_item(page, "overlays"), plots = model_in(to, "model");
    const char *title = metrics_title(metric), *label = ssim ? "Score" : title;
    overlay.plot = plot_begin(plots, metric, &range,
                              &(struct plot){.top = TOP,
                                             .tall = HEIGHT,
                                             .height = TOP + HEIGHT + FOOT,
                                             .count = overlay.longest->count});
    model_texts(to, "title", tile ? "Worst tiles" : ssim ? "Scores" : title);
    model_flag(to, "lowest", overlay.outs > 1);
    model_texts(overlay.plot.to, "role", "img");
    model_text(overlay.plot.to, "label", "%s of each frame, a curve for each OUT",
               tile ? "Worst tile" : label);
    for (size_t i = 0; i < index->count; i++) {
        const struct plot_values values = values_of(&overlay, i);
        char key[PLOT_KEY];
        if (!values.report) continue;
        plot_curve(&overlay.plot, plot_key(key, i), &values, false);
        model_texts(model_item(to, "outs"), "key out", key, page_base(index->row[i].name));
    }
    if (overlay.outs > 1) add_worst(&overlay);
    add_limit(&overlay);
    add_names(&overlay);
    plot_write(to, "plot", plots, "", "");
}

void page_overlay(struct model page, const struct index *index)
{
    ssimcu_metric order[SSIMCU_METRICS];
    rates_order(index, order);
    for (int m = 0; m < SSIMCU_METRICS; m++) {
        if (order[m] == SSIMCU_METRIC_SSIM) add_plot(page, index, true, order[m]);
        add_plot(page, index, false, order[m]);
    }
}
