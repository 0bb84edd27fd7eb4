/* Quality over bit rate: a plot of all OUTs for each metric, with their convex hull, and the
 * comparison of groups. */
#include "report/folder/contents.h"
#include "report/page/page.h"
#include "report/page/page_index.h"
#include "report/page/plot.h"
#include "report/page/rates.h"

#include <math.h>

enum {
    HEIGHT = 280,
    TOP = 10,
    FOOT = 40,     /* height of the rate labels and their unit */
    NAMED = 10,    /* points have names up to this number */
    STEPS = 24,    /* line segments between two points of a curve */
    MOST_TICKS = 8 /* most labelled rates */
};

struct rates {
    const struct index *index;
    ssimcu_metric metric;
    struct rate_curve all;
    struct plot plot;
    double low, high; /* ends of the axis, logarithms of rates */
};

/* ---- Axes ------------------------------------------------------------------------------------ */

static double x_of(const struct rates *rates, double rate)
{
    return 100 * (log10(rate) - rates->low) / (rates->high - rates->low);
}

/* Begins the plot. Returns false if there is nothing to draw. */
static bool begin(struct rates *rates, struct model plots)
{
    const struct rate_curve *const all = &rates->all;
    struct plot_range range = {INFINITY, -INFINITY};
    if (all->count < 2) return false;
    for (size_t i = 0; i < all->count; i++) plot_widen(&range, all->point[i].quality);
    rates->plot =
        plot_begin(plots, rates->metric, &range,
                   &(struct plot){.top = TOP, .tall = HEIGHT, .height = TOP + HEIGHT + FOOT});
    rates->low = log10(all->point[0].rate);
    rates->high = log10(all->point[all->count - 1].rate);
    const double beside = fmax(0.06 * (rates->high - rates->low), 0.02);
    rates->low -= beside;
    rates->high += beside;
    return true;
}

/* Labels the rates 1, 2 and 5 times each power of ten, or fewer. */
static void add_rates(const struct rates *rates)
{
    static const double steps[] = {1, 2, 5};
    const int first = (int)floor(rates->low), last = (int)ceil(rates->high);
    const int every = (last - first) * 3 > 3 * MOST_TICKS ? 3 : 1;
    for (int k = 3 * first; k < 3 * last; k += every) {
        const int power = (int)floor(k / 3.0);
        const double rate = steps[k - 3 * power] * pow(10, power), x = x_of(rates, rate);
        char name[24];
        if (x < 0 || x > 100) continue;
        const struct model rule = plot_mark(&rates->plot, "rules", x, 0);
        model_number(rule, "top", TOP);
        model_number(rule, "bottom", TOP + HEIGHT);
        snprintf(name, sizeof name, "%.9g", rate / 1000);
        plot_name(&rates->plot, "frame", x, TOP + HEIGHT + 17, name);
    }
    plot_name(&rates->plot, "frame", 50, TOP + HEIGHT + 34, "kbit/s");
}

/* ---- Curves ---------------------------------------------------------------------------------- */

static void put_step(FILE *to, const struct rates *rates, bool first, double rate, double quality)
{
    fprintf(to, "%c%.1f %.1f", first ? 'M' : 'L', 10 * x_of(rates, rate),
            plot_y(&rates->plot, quality));
}

/* Adds the curve of a group that the deltas use. */
static void add_group(const struct rates *rates, unsigned group)
{
    struct rate_curve curve;
    struct markup path;
    char key[PLOT_KEY];
    rates_collect(rates->index, rates->metric, group, &curve);
    if (curve.count < 2) return;
    const struct model to = model_item(rates->plot.to, "curves");
    model_texts(to, "class", plot_key(key, group - 1));
    if (!model_open(to, &path)) return;
    put_step(path.to, rates, true, curve.point[0].rate, curve.point[0].quality);
    for (size_t i = 1; i < curve.count; i++)
        for (int k = 1; k <= STEPS; k++) {
            const double from = log10(curve.point[i - 1].rate), end = log10(curve.point[i].rate);
            const double rate = pow(10, from + (end - from) * k / STEPS);
            if (end > from)
                put_step(path.to, rates, false, rate, bd_quality(curve.point, curve.count, rate));
        }
    model_close(to, "d", &path);
}

/* Adds the hull, which is piecewise linear over the logarithm of the rate. */
static void add_hull(const struct rates *rates)
{
    const struct model to = model_item(rates->plot.to, "curves");
    struct markup path;
    const struct rate_curve *const all = &rates->all;
    bool on[BD_POINTS];
    const struct bd_point *last = NULL;
    bd_hull(all->point, all->count, on);
    model_texts(to, "class", "hull");
    if (!model_open(to, &path)) return;
    for (size_t i = 0; i < all->count; i++) {
        const struct bd_point *const next = &all->point[i];
        if (!on[i]) continue;
        if (!last) put_step(path.to, rates, true, next->rate, next->quality);
        for (int k = 1; last && k <= STEPS; k++) {
            const double shot = (double)k / STEPS, from = log10(last->rate);
            put_step(path.to, rates, false, pow(10, from + (log10(next->rate) - from) * shot),
                     last->quality + (next->quality - last->quality) * shot);
        }
        last = next;
    }
    model_close(to, "d", &path);
}

/* ---- Points ---------------------------------------------------------------------------------- */

static void add_point(const struct rates *rates, size_t at)
{
    const struct bd_point *const point = &rates->all.point[at];
    const struct index_row *const row = &rates->index->row[rates->all.out[at]];
    const double x = x_of(rates, point->rate), y = plot_y(&rates->plot, point->quality);
    const char *const name = page_base(row->name);
    const bool left = x > 60;
    char value[TEXT_DIGITS];
    const struct model to = plot_mark(&rates->plot, "outs", x, y);
    metrics_text(value, rates->metric, point->quality);
    if (row->folder) model_link(to, "href", row->folder, "/" CONTENTS_PAGE);
    model_text(to, "label", "%s, %.0f kbit/s, %s", name, point->rate / 1000, value);
    model_text(to, "title", "%s: %.0f kbit/s, %s", name, point->rate / 1000, value);
    if (row->group > 0) model_text(to, "class", "f%u", (row->group - 1) % PLOT_COLOURS);
    if (rates->all.count > NAMED) return;
    model_texts(to, "name side dx", name, left ? "left" : "", left ? "-7" : "7");
    model_text(to, "beside", "%.1f", y + (left ? -6 : 15));
}

static void add_plot(struct model plots, const struct index *index, ssimcu_metric metric)
{
    struct rates rates = {.index = index, .metric = metric};
    rates_collect(index, metric, 0, &rates.all);
    if (!begin(&rates, plots)) return;
    const char *const title = metrics_title(metric);
    model_texts(rates.plot.to, "role key title", "group", metrics_key(metric), title);
    model_text(rates.plot.to, "label", "%s over bit rate, a point for each OUT", title);
    add_rates(&rates);
    add_hull(&rates);
    for (unsigned group = 1; group <= index->groups; group++) add_group(&rates, group);
    for (size_t i = 0; i < rates.all.count; i++) add_point(&rates, i);
}

/* ---- Groups ---------------------------------------------------------------------------------- */

static void add_delta(struct model row, int digits, const char *unit, double value)
{
    if (isnan(value))
        model_list(row, "cells", "%s", "");
    else
        model_list(row, "cells", "%+.*f%s", digits, value, unit);
}

static void add_row(struct model to, const struct index *index, ssimcu_metric metric,
                    unsigned group)
{
    const struct bd bd = rates_compare(index, metric, group);
    const bool known = bd.lack == BD_NONE, common = known && !isnan(bd.rate);
    const int digits = metrics_digits(metric);
    const struct model row = model_item(to, "delta");
    char note[RATES_NOTE];
    model_texts(row, "group metric note", index->group[group - 1], metrics_title(metric),
                rates_note(&bd, metric, note));
    add_delta(row, 2, " %", known ? bd.rate : NAN);
    add_delta(row, digits, "", known ? bd.quality : NAN);
    add_delta(row, 2, " %", known ? bd.rate_fit : NAN);
    add_delta(row, digits, "", known ? bd.quality_fit : NAN);
    model_list_value(row, "cells", metric, common ? bd.low : NAN);
    model_list_value(row, "cells", metric, common ? bd.high : NAN);
}

void page_rates(struct model page, const struct index *index)
{
    const uint32_t metrics = rates_metrics(index);
    const struct model plots = model_in(page, "rate_plots");
    ssimcu_metric order[SSIMCU_METRICS];
    rates_order(index, order);
    for (int m = 0; m < SSIMCU_METRICS; m++) add_plot(plots, index, order[m]);
    if (json_object_size(plots.json) > 0) plot_write(page, "rates", plots, "rated", "rate");
    for (unsigned group = 0; group < index->groups; group++) {
        char key[PLOT_KEY];
        model_texts(model_item(page, "groups"), "key group", plot_key(key, group),
                    index->group[group]);
    }
    if (index->groups < 2) return;
    const struct model deltas = model_in(page, "deltas");
    model_texts(deltas, "first", index->group[0]);
    for (unsigned group = 2; group <= index->groups; group++)
        for (int m = 0; m < SSIMCU_METRICS; m++)
            if (metrics >> order[m] & 1) add_row(deltas, index, order[m], group);
}
