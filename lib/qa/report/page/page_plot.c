/* The plot of scores over frames, and the histogram beside it on the same axis. It fits any width,
 * because x is in percent and y in pixels. */
#include "report/page/plot.h"

#include "report/html/html.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    COLUMNS = 600,
    LANE = 16, /* height of a lane of marks below the curves */
    LABELS = 22,
    BANDS_DRAWN = 100
};

/* A frame below a limit may have hints as well. */
static bool has_state(const struct point *point, int state)
{
    return state == 3 ? point->hints != 0 : strcmp(page_state(point), plot_states[state]) == 0;
}

/* Returns whether the shots are drawn: a single one needs no name, and many names have no room. */
static bool has_bands(const struct report *report)
{
    return report->bands > 1 && report->bands <= BANDS_DRAWN;
}

/* Returns the middle of a frame, in percent of the width. */
static double x_of(const struct plot *plot, size_t at)
{
    return 100 * ((double)at + 0.5) / (double)plot->count;
}

/* Makes the axis of excess: the limit is seen, and what is far beyond is at its end. */
static struct axis axis_of_excess(const struct plot *plot, double top, double foot)
{
    enum { MOST = 5 };
    double high = 1.25;
    for (size_t i = 0; i < plot->count; i++) high = fmax(high, plot_value(plot, i));
    return axis_make(SSIMCU_METRIC_PSNR, 0, fmin(high, MOST), top, PLOT_HEIGHT, foot);
}

/* Makes the axis, which ends at `foot`. Values that are infinite are at its top. */
static struct axis axis_for(const struct plot *plot, double top, double foot)
{
    const struct report *report = plot->page->report;
    const struct limits *limits = &plot->page->facts->verdict->limits;
    const ssimcu_metric m = plot->metric;
    const double set[] = {limits_score(limits, m), limits_number(limits, limits_fault(m)),
                          limits_number(limits, SSIMCU_LIMIT_MIN_TILE)};
    const bool linear = !metrics_near_1(m);
    double low = linear ? INFINITY : 1, high = linear ? -INFINITY : 0;
    for (size_t i = 0; i < report->count; i++) {
        const struct point *point = &report->point[i];
        if (isinf(point->value[m])) continue;
        low = fmin(low, point->value[m]); /* fmin skips NAN */
        if (plot->tiles) low = fmin(low, point->tile);
        for (int k = 0; k < (m == SSIMCU_METRIC_SSIM ? 2 : 0); k++)
            if (isfinite(point->least[k]))
                low = fmin(low, point->least[k]), high = fmax(high, point->least[k]);
        high = fmax(high, point->value[m]);
    }
    for (int i = 0; i < (m == SSIMCU_METRIC_SSIM ? 3 : 2); i++)
        if (isfinite(set[i])) low = fmin(low, set[i]), high = fmax(high, set[i]);
    return axis_make(m, low, high, top, PLOT_HEIGHT, foot);
}

static void measure(struct plot *plot)
{
    const struct report *report = plot->page->report;
    const double top = has_bands(report) ? 18 : 4;
    double next = top + PLOT_HEIGHT + 6;
    bool any[PLOT_LANES] = {false};
    for (size_t i = 0; i < report->count; i++)
        for (int k = 0; k < PLOT_LANES; k++) any[k] = any[k] || has_state(&report->point[i], k);
    for (int i = 0; i < 4; i++) {
        plot->lane[i] = any[i] ? next + LANE / 2.0 : -1;
        if (any[i]) next += LANE;
    }
    plot->foot = next;
    plot->axis = plot->excess ? axis_of_excess(plot, top, next + LABELS)
                              : axis_for(plot, top, next + LABELS);
}

/* Names every step-th frame. A narrow page hides every second name. */
static void put_frames(const struct plot *plot)
{
    static const size_t steps[] = {1, 2, 5};
    size_t step = 1, power = 1;
    for (int i = 0; plot->count / step > 12; i++) {
        if (i % 3 == 2) power *= 10;
        step = steps[(i + 1) % 3] * power;
    }
    const int64_t first = plot->page->report->point[0].frame;
    const size_t start = first < 0 ? 0 : (step - (size_t)first % step) % step;
    for (size_t at = start, n = 0; at < plot->count; at += step, n++)
        fprintf(plot->to, "<text class=\"frame%s\" x=\"%.3f%%\" y=\"%.1f\">%" PRId64 "</text>",
                n % 2 == 1 ? " minor" : "", x_of(plot, at), plot->foot + 15,
                plot->page->report->point[at].frame); /* bands name the parts */
}

/* ---- Curves ---------------------------------------------------------------------------------- */

static double value_of(const struct plot *plot, size_t at, bool tile)
{
    return tile ? plot->page->report->point[at].tile : plot_value(plot, at);
}

/* Finds the lowest and the highest value of a column; NAN if no frame there has a score. */
static void span(const struct plot *plot, size_t column, bool tile, double *low, double *high)
{
    const size_t begin = column * plot->count / plot->columns,
                 end = (column + 1) * plot->count / plot->columns;
    *low = *high = NAN;
    for (size_t i = begin; i < end; i++) {
        const double value = value_of(plot, i, tile);
        *low = fmin(*low, value);
        *high = fmax(*high, value);
    }
}

/* Draws consecutive columns: there along the highest values, and back along the lowest. */
static void put_run(const struct plot *plot, size_t begin, size_t end, bool tile)
{
    double low, high;
    const double wide = 1000.0 / (double)plot->columns;
    char letter = 'M';
    for (size_t i = begin; i < end; i++, letter = 'L') {
        span(plot, i, tile, &low, &high);
        fprintf(plot->to, "%c%.1f %.1f", letter, ((double)i + 0.5) * wide,
                axis_y(&plot->axis, high));
    }
    if (end == begin + 1) fputs("h.01", plot->to); /* a dot between two gaps */
    for (size_t i = end; i-- > begin && plot->columns < plot->count;) {
        span(plot, i, tile, &low, &high);
        fprintf(plot->to, "L%.1f %.1f%s", ((double)i + 0.5) * wide, axis_y(&plot->axis, low),
                i == begin ? "Z" : "");
    }
}

static void put_curve(const struct plot *plot, bool tile)
{
    fprintf(plot->to, "<path class=\"curve %s %s\" d=\"", tile ? "tile" : "score",
            plot->columns < plot->count ? "area" : "line");
    for (size_t i = 0; i < plot->columns; i++) {
        double low, high;
        size_t end = i;
        for (; end < plot->columns; end++) {
            span(plot, end, tile, &low, &high);
            if (isnan(low)) break;
        }
        if (end > i) put_run(plot, i, end, tile);
        if (end > i) i = end;
    }
    fputs("\"/>", plot->to);
}

/* A short sequence gets dots, too. */
static void put_points(const struct plot *plot, bool tile)
{
    if (plot->count > 120) return;
    for (size_t i = 0; i < plot->count; i++) {
        const double value = value_of(plot, i, tile);
        if (!isnan(value))
            fprintf(plot->to, "<circle class=\"%s\" cx=\"%.3f%%\" cy=\"%.1f\" r=\"2\"/>",
                    tile ? "tile" : "score", x_of(plot, i), axis_y(&plot->axis, value));
    }
}

/* ---- Marks ----------------------------------------------------------------------------------- */

static void put_mark(const struct plot *plot, size_t at, int state)
{
    char anchor[PAGE_ANCHOR], name[TEXT_FRAME];
    const bool leads = page_anchor(plot->page, at, anchor)[0] != '\0';
    if (leads)
        html_print(plot->to, "<a href=\"%s\" aria-label=\"frame %s, %s\">", anchor,
                   page_name(plot->page->report, at, name), plot_states[state]);
    fprintf(plot->to, "<use href=\"#mark-%s\" x=\"%.3f%%\" y=\"%.1f\"/>", plot_states[state],
            x_of(plot, at), plot->lane[state]);
    if (leads) fputs("</a>", plot->to);
}

/* Draws at most one mark for each column and state. */
static void put_marks(const struct plot *plot, int state)
{
    size_t last = SIZE_MAX;
    for (size_t i = 0; i < plot->count; i++) {
        const size_t column = i * plot->columns / plot->count;
        if (last == column || !has_state(&plot->page->report->point[i], state)) continue;
        last = column;
        put_mark(plot, i, state);
    }
}

static void put_bands(const struct plot *plot)
{
    const struct report *report = plot->page->report;
    if (!has_bands(report)) return;
    for (size_t i = 0; i < report->bands; i++) {
        const size_t begin = report->band[i].first,
                     end = i + 1 < report->bands ? report->band[i + 1].first : plot->count;
        const double x = 100 * (double)begin / (double)plot->count,
                     width = 100 * (double)(end - begin) / (double)plot->count;
        html_print(plot->to,
                   "<svg class=\"band %s\" x=\"%.3f%%\" width=\"%.3f%%\" height=\"%.1f\"><rect "
                   "width=\"100%%\" height=\"100%%\"/><text x=\"4\" y=\"13\">%s</text></svg>",
                   i % 2 ? "odd" : "even", x, width, plot->foot, report->band[i].part);
    }
}

/* ---- All of it ------------------------------------------------------------------------------- */

static void put_legend(const struct plot *plot)
{
    const ssimcu_metric metric = plot->metric;
    FILE *to = plot->to;
    if (plot->excess) {
        fputs("<p class=\"legend\"><span class=\"key score\">how much of its limit</span> each "
              "frame uses; above 1 it is beyond it, and what is off the axis is at its top.</p>\n",
              to);
        return;
    }
    fprintf(to, "<p class=\"legend\"><span class=\"key score\">%s</span>",
            metric == SSIMCU_METRIC_SSIM ? "score" : metrics_title(metric));
    if (plot->tiles) fputs(" <span class=\"key tile\">worst tile</span>", to);
    fputs(metrics_near_1(metric) ? " of each frame; the axis is logarithmic towards 1"
                                 : " of each frame",
          to);
    if (plot->page->facts->summary->numbers.metrics[metric].identical > 0)
        fputs("; identical frames are at its top", to);
    fputs(". To the right how many frames have which score. <span class=\"js\">Point at a frame to "
          "see its numbers, click to go there.</span></p>\n",
          to);
}

static void put_area(const struct plot *plot, bool first)
{
    FILE *to = plot->to;
    const char *const title = plot->excess ? "excess" : metrics_title(plot->metric);
    fprintf(to,
            "<div class=\"area\"><svg %sclass=\"curves\" data-metric=\"%s\" width=\"100%%\" "
            "height=\"%.0f\" role=\"group\" aria-label=\"%s%s of each frame\" "
            "data-top=\"%.0f\" data-height=\"%d\" data-low=\"%.9g\" data-high=\"%.9g\">",
            first ? "id=\"curves\" " : "", title, plot->axis.height,
            plot->excess                         ? "How much of its limit"
            : plot->metric == SSIMCU_METRIC_SSIM ? "Score"
                                                 : title,
            plot->tiles ? " and worst tile" : "", plot->axis.top, PLOT_HEIGHT, plot->axis.scale.low,
            plot->axis.scale.high);
    put_bands(plot);
    axis_grid(to, &plot->axis);
    axis_curves(to, &plot->axis);
    if (plot->tiles) put_curve(plot, true);
    put_curve(plot, false);
    fputs("</svg>", to);
    if (plot->tiles) put_points(plot, true);
    put_points(plot, false);
    plot_limits(plot);
    for (int state = 0; state < PLOT_LANES; state++) put_marks(plot, state);
    put_frames(plot);
    fputs("</svg></div>\n", to);
}

static void put_plot(FILE *to, const void *user, size_t at)
{
    const struct page *const page = user;
    const struct report *const report = page->report;
    ssimcu_metric metric[SSIMCU_METRICS];
    (void)page_metrics(report, metric);
    const bool excess = report->limited && at == 0;
    const ssimcu_metric own = excess ? metric[0] : metric[at - report->limited];
    struct plot plot = {.to = to,
                        .page = page,
                        .metric = own,
                        .excess = excess,
                        .tiles = !excess && own == SSIMCU_METRIC_SSIM && report->tiles.count > 0,
                        .count = report->count,
                        .columns = report->count < COLUMNS ? report->count : COLUMNS};
    measure(&plot);
    put_legend(&plot);
    fputs("<div class=\"plot\">\n", to);
    plot_axis(&plot);
    put_area(&plot, at == 0);
    plot_histogram(&plot);
    fputs("</div>\n", to);
}

void page_plots(FILE *to, const char *name, const char *id, const struct page_tab tab[],
                size_t count, page_put_plot *put, const void *user)
{
    if (count == 1) {
        put(to, user, 0);
        return;
    }
    fputs("<div class=\"plots\">\n", to);
    for (size_t i = 0; i < count; i++)
        fprintf(
            to,
            "<input type=\"radio\" name=\"%s\" id=\"%s-%s\"%s><label for=\"%s-%s\">%s</label>\n",
            name, id, tab[i].key, i == 0 ? " checked" : "", id, tab[i].key, tab[i].title);
    for (size_t i = 0; i < count; i++) {
        fputs("<div class=\"plotted\">\n", to);
        put(to, user, i);
        fputs("</div>\n", to);
    }
    fputs("</div>\n", to);
}

void page_tabs(const ssimcu_metric metric[], size_t count, struct page_tab tab[])
{
    for (size_t i = 0; i < count; i++)
        tab[i] = (struct page_tab){metrics_key(metric[i]), metrics_title(metric[i])};
}

void page_plot(struct model to, const struct page *page)
{
    ssimcu_metric metric[SSIMCU_METRICS];
    struct page_tab tab[SSIMCU_METRICS + 1] = {{"excess", "Limits"}};
    const size_t metrics = page_metrics(page->report, metric);
    const bool limited = page->report->limited;
    struct markup plots;
    page_tabs(metric, metrics, tab + limited);
    if (page->report->count < 2 || !model_open(to, &plots)) return;
    page_plots(plots.to, "plotted", "plot", tab, metrics + limited, put_plot, page);
    model_close(to, "plots", &plots);
}
