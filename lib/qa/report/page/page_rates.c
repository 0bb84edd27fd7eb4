/* Quality over bit rate: a plot of all OUTs for each metric, with their convex hull, and how groups
 * of OUTs compare. */
#include "report/html/axis.h"
#include "report/html/html.h"
#include "report/page/page.h"
#include "report/page/page_index.h"
#include "report/page/rates.h"

#include <math.h>

enum {
    HEIGHT = 280,
    TOP = 10,
    FOOT = 40,     /* height of the rates and their unit */
    NAMED = 10,    /* more points have no names beside them */
    COLOURS = 6,   /* of groups */
    STEPS = 24,    /* straight pieces from one point of a curve to the next */
    MOST_TICKS = 8 /* rates that are named */
};

struct rates {
    FILE *to;
    const struct index *index;
    ssimcu_metric metric;
    struct rate_curve all;
    struct axis axis;
    double low, high; /* ends of the axis, logarithms of rates */
};

/* ---- Places ---------------------------------------------------------------------------------- */

static double x_of(const struct rates *rates, double rate)
{
    return 100 * (log10(rate) - rates->low) / (rates->high - rates->low);
}

/* Finds the axes. Returns false if there is nothing to draw. */
static bool measure(struct rates *rates)
{
    const struct rate_curve *const all = &rates->all;
    double low = INFINITY, high = -INFINITY;
    if (all->count < 2) return false;
    for (size_t i = 0; i < all->count; i++) {
        low = fmin(low, all->point[i].quality);
        high = fmax(high, all->point[i].quality);
    }
    rates->axis = axis_make(rates->metric, low, high, TOP, HEIGHT, TOP + HEIGHT + FOOT);
    rates->low = log10(all->point[0].rate);
    rates->high = log10(all->point[all->count - 1].rate);
    const double beside = fmax(0.06 * (rates->high - rates->low), 0.02);
    rates->low -= beside;
    rates->high += beside;
    return true;
}

/* ---- Axes ------------------------------------------------------------------------------------ */

/* Names the rates 1, 2 and 5 of each power of ten, or fewer. */
static void put_rates(const struct rates *rates)
{
    static const double steps[] = {1, 2, 5};
    const int first = (int)floor(rates->low), last = (int)ceil(rates->high);
    const int every = (last - first) * 3 > 3 * MOST_TICKS ? 3 : 1;
    for (int k = 3 * first; k < 3 * last; k += every) {
        const int power = (int)floor(k / 3.0);
        const double rate = steps[k - 3 * power] * pow(10, power), x = x_of(rates, rate);
        if (x < 0 || x > 100) continue;
        fprintf(rates->to,
                "<line class=\"grid\" x1=\"%.3f%%\" x2=\"%.3f%%\" y1=\"%d\" y2=\"%d\"/>"
                "<text class=\"frame\" x=\"%.3f%%\" y=\"%d\">%.9g</text>",
                x, x, TOP, TOP + HEIGHT, x, TOP + HEIGHT + 17, rate / 1000);
    }
    fprintf(rates->to, "<text class=\"frame\" x=\"50%%\" y=\"%d\">kbit/s</text>",
            TOP + HEIGHT + 34);
}

/* ---- Curves ---------------------------------------------------------------------------------- */

static void put_step(const struct rates *rates, bool first, double rate, double quality)
{
    fprintf(rates->to, "%c%.1f %.1f", first ? 'M' : 'L', 10 * x_of(rates, rate),
            axis_y(&rates->axis, quality));
}

/* Draws a group as the deltas take it. */
static void put_group(const struct rates *rates, unsigned group)
{
    struct rate_curve curve;
    rates_collect(rates->index, rates->metric, group, &curve);
    if (curve.count < 2) return;
    fprintf(rates->to, "<path class=\"curve c%u d%u\" d=\"", (group - 1) % COLOURS,
            (group - 1) / COLOURS);
    put_step(rates, true, curve.point[0].rate, curve.point[0].quality);
    for (size_t i = 1; i < curve.count; i++)
        for (int k = 1; k <= STEPS; k++) {
            const double from = log10(curve.point[i - 1].rate), to = log10(curve.point[i].rate);
            const double rate = pow(10, from + (to - from) * k / STEPS);
            if (to > from) put_step(rates, false, rate, bd_quality(curve.point, curve.count, rate));
        }
    fputs("\"/>", rates->to);
}

/* Draws the hull, whose pieces are straight over the logarithm of the rate. */
static void put_hull(const struct rates *rates)
{
    const struct rate_curve *const all = &rates->all;
    bool on[BD_POINTS];
    const struct bd_point *last = NULL;
    bd_hull(all->point, all->count, on);
    fputs("<path class=\"curve hull\" d=\"", rates->to);
    for (size_t i = 0; i < all->count; i++) {
        const struct bd_point *const next = &all->point[i];
        if (!on[i]) continue;
        if (!last) put_step(rates, true, next->rate, next->quality);
        for (int k = 1; last && k <= STEPS; k++) {
            const double part = (double)k / STEPS, from = log10(last->rate);
            put_step(rates, false, pow(10, from + (log10(next->rate) - from) * part),
                     last->quality + (next->quality - last->quality) * part);
        }
        last = next;
    }
    fputs("\"/>", rates->to);
}

/* ---- Points ---------------------------------------------------------------------------------- */

static void put_point(const struct rates *rates, size_t at)
{
    const struct bd_point *const point = &rates->all.point[at];
    const struct index_row *const row = &rates->index->row[rates->all.out[at]];
    const double x = x_of(rates, point->rate), y = axis_y(&rates->axis, point->quality);
    const char *const name = page_base(row->name);
    char digits[TEXT_DIGITS];
    FILE *to = rates->to;
    if (row->folder) {
        fputs("<a href=\"", to);
        html_link(to, row->folder);
        fputs("/index.html\" aria-label=\"", to);
    } else {
        fputs("<g role=\"img\" aria-label=\"", to);
    }
    html_print(to, "%s, %.0f kbit/s, %s\">", name, point->rate / 1000,
               metrics_text(digits, rates->metric, point->quality));
    if (row->group > 0)
        fprintf(to, "<circle class=\"point f%u\"", (row->group - 1) % COLOURS);
    else
        fputs("<circle class=\"point\"", to);
    html_print(to, " cx=\"%.3f%%\" cy=\"%.1f\" r=\"5\"><title>%s: %.0f kbit/s, %s</title></circle>",
               x, y, name, point->rate / 1000, digits);
    if (rates->all.count <= NAMED)
        html_print(to, "<text class=\"name%s\" x=\"%.3f%%\" y=\"%.1f\" dx=\"%d\">%s</text>",
                   x > 60 ? " left" : "", x, y + (x > 60 ? -6 : 15), x > 60 ? -7 : 7, name);
    fputs(row->folder ? "</a>" : "</g>", to);
}

static void put_area(const struct rates *rates)
{
    FILE *to = rates->to;
    fprintf(to,
            "<div class=\"area\"><svg width=\"100%%\" height=\"%d\" role=\"group\" "
            "aria-label=\"%s over bit rate, a point for each OUT\">",
            TOP + HEIGHT + FOOT, metrics_title(rates->metric));
    axis_grid(to, &rates->axis);
    put_rates(rates);
    axis_curves(to, &rates->axis);
    put_hull(rates);
    for (unsigned group = 1; group <= rates->index->groups; group++) put_group(rates, group);
    fputs("</svg>", to);
    for (size_t i = 0; i < rates->all.count; i++) put_point(rates, i);
    fputs("</svg></div>\n", to);
}

/* ---- The plots ------------------------------------------------------------------------------- */

static void put_legend(FILE *to, const struct index *index)
{
    fputs("<p class=\"legend\">", to);
    for (unsigned group = 0; group < index->groups; group++) {
        fputs("<span class=\"of\">", to);
        page_overlay_key(to, group);
        html_name(to, index->group[group]);
        fputs("</span> ", to);
    }
    fputs(
        "<span class=\"of\"><svg class=\"swatch\" width=\"28\" height=\"10\" "
        "aria-hidden=\"true\"><path class=\"curve hull\" d=\"M0 5H28\"/></svg> convex hull of all "
        "OUTs over the logarithm of the rate</span></p>\n",
        to);
}

static void put_plot(FILE *to, const void *user, size_t at)
{
    const struct rates *const rates = (const struct rates *)user + at;
    fputs("<div class=\"plot wide\">\n", to);
    axis_begin(to, &rates->axis);
    axis_end(to);
    put_area(rates);
    fputs("</div>\n", to);
}

static void put_plots(FILE *to, const struct index *index)
{
    struct rates rates[SSIMCU_METRICS];
    ssimcu_metric order[SSIMCU_METRICS], metric[SSIMCU_METRICS];
    size_t count = 0;
    rates_order(index, order);
    for (int m = 0; m < SSIMCU_METRICS; m++) {
        metric[count] = order[m];
        rates[count] = (struct rates){.to = to, .index = index, .metric = order[m]};
        rates_collect(index, order[m], 0, &rates[count].all);
        count += measure(&rates[count]);
    }
    if (count == 0) return;
    fputs("<section id=\"rates\">\n<h2>Quality over bit rate</h2>\n", to);
    put_legend(to, index);
    struct page_tab tab[SSIMCU_METRICS];
    page_tabs(metric, count, tab);
    page_plots(to, "rated", "rate", tab, count, put_plot, rates);
    fputs("</section>\n", to);
}

/* ---- Groups ---------------------------------------------------------------------------------- */

static void put_delta(FILE *to, int digits, const char *unit, double value)
{
    fputs("<td class=\"n\">", to);
    if (!isnan(value)) fprintf(to, "%+.*f%s", digits, value, unit);
    fputs("</td>", to);
}

static void put_group_row(FILE *to, const struct index *index, ssimcu_metric metric, unsigned group)
{
    const struct bd bd = rates_compare(index, metric, group);
    const bool known = bd.lack == BD_NONE, common = known && !isnan(bd.rate);
    const int digits = metrics_digits(metric);
    char note[RATES_NOTE];
    html_print(to, "<tr><th scope=\"row\"><bdi>%s</bdi></th><td>%s</td>", index->group[group - 1],
               metrics_title(metric));
    put_delta(to, 2, " %", known ? bd.rate : NAN);
    put_delta(to, digits, "", known ? bd.quality : NAN);
    put_delta(to, 2, " %", known ? bd.rate_fit : NAN);
    put_delta(to, digits, "", known ? bd.quality_fit : NAN);
    html_cell(to, metric, common ? bd.low : NAN);
    html_cell(to, metric, common ? bd.high : NAN);
    fprintf(to, "<td>%s</td></tr>\n", rates_note(&bd, metric, note));
}

static void put_groups(FILE *to, const struct index *index)
{
    static const char *const heads[] = {"BD-rate", "BD-quality", "One cubic: rate",
                                        "Quality", "From",       "To"};
    const uint32_t metrics = rates_metrics(index);
    ssimcu_metric order[SSIMCU_METRICS];
    rates_order(index, order);
    if (index->groups < 2) return;
    html_print(
        to,
        "<section id=\"groups\">\n<h2>Groups against <bdi>%s</bdi></h2>\n<p>Bjontegaard's deltas, "
        "by piecewise cubics (PCHIP): how much more rate a group takes at the same quality, less "
        "than 0 if it takes less, and how much better it is at the same rate. From and to: the "
        "qualities that both have.</p>\n",
        index->group[0]);
    html_table(to, "Groups", NULL);
    html_heads(to, false, (const char *const[]){"Group", "Metric"}, 2);
    html_heads(to, true, heads, sizeof heads / sizeof heads[0]);
    html_head(to, false, "Note");
    html_table_body(to);
    for (unsigned group = 2; group <= index->groups; group++)
        for (int m = 0; m < SSIMCU_METRICS; m++)
            if (metrics >> order[m] & 1) put_group_row(to, index, order[m], group);
    html_table_end(to);
    fputs("</section>\n", to);
}

void page_rates(FILE *to, const struct index *index)
{
    put_plots(to, index);
    put_groups(to, index);
}
