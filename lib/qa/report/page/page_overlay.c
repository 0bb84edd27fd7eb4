/* The curves of several OUTs, one over the other: their worst tiles, and their scores. */
#include "report/html/axis.h"
#include "report/html/html.h"
#include "report/page/page.h"
#include "report/page/page_index.h"
#include "report/page/rates.h"

#include <inttypes.h>
#include <math.h>

enum {
    HEIGHT = 240,
    TOP = 4,
    LANE = 10,        /* height of the lane that says which OUT is the lowest, and its distance */
    FOOT = 26 + LANE, /* with the frames' numbers */
    COLUMNS = 600,
    NAMES = 5,  /* frames that are named */
    COLOURS = 6 /* then the dashes change */
};

struct overlay {
    FILE *to;
    const struct index *index;
    ssimcu_metric metric;
    bool tile; /* the curves are of tiles, else of the metric */
    double limit;
    const struct report *longest;
    size_t outs, columns; /* OUTs that have curves; columns are those of the longest OUT */
    struct axis axis;
};

static double value_of(const struct overlay *overlay, const struct point *point)
{
    return overlay->tile ? point->tile : point->value[overlay->metric];
}

void page_overlay_key(FILE *to, size_t out)
{
    fprintf(to,
            "<svg class=\"swatch\" width=\"28\" height=\"10\" aria-hidden=\"true\"><path "
            "class=\"curve c%zu d%zu\" d=\"M0 5H28\"/></svg> ",
            out % COLOURS, out / COLOURS % COLOURS);
}

/* Finds the axis and the longest OUT. Returns false if there is nothing to draw. */
static bool measure(struct overlay *overlay)
{
    const bool linear = !metrics_near_1(overlay->metric);
    double low = linear ? INFINITY : 1, high = linear ? -INFINITY : 0;
    bool any = false;
    overlay->limit = -INFINITY;
    for (size_t i = 0; i < overlay->index->count; i++) {
        const struct index_row *row = &overlay->index->row[i];
        if (!row->report) continue;
        overlay->outs++;
        const struct limits *limits = &row->verdict->limits;
        overlay->limit = limits_number(limits, overlay->tile ? SSIMCU_LIMIT_MIN_TILE
                                                             : limits_fault(overlay->metric));
        if (!overlay->longest || row->report->count > overlay->longest->count)
            overlay->longest = row->report;
        for (size_t k = 0; k < row->report->count; k++) {
            const double value = value_of(overlay, &row->report->point[k]);
            any = any || !isnan(value);
            if (isinf(value)) continue; /* it is at the top */
            low = fmin(low, value);
            high = fmax(high, value);
        }
    }
    if (!any || overlay->longest->count < 2) return false;
    overlay->columns = overlay->longest->count < COLUMNS ? overlay->longest->count : COLUMNS;
    if (isfinite(overlay->limit))
        low = fmin(low, overlay->limit), high = fmax(high, overlay->limit);
    overlay->axis = axis_make(overlay->metric, low, high, TOP, HEIGHT, TOP + HEIGHT + FOOT);
    return true;
}

/* Returns the lowest value of an OUT in a column; NAN: it has none. */
static double lowest_of(const struct overlay *overlay, size_t out, size_t column)
{
    const struct report *report = overlay->index->row[out].report;
    const size_t count = overlay->longest->count, columns = overlay->columns;
    double low = NAN;
    for (size_t k = column * count / columns; k < (column + 1) * count / columns; k++)
        if (report && k < report->count) low = fmin(low, value_of(overlay, &report->point[k]));
    return low;
}

/* Draws the lowest value of each column. */
static void put_curve(const struct overlay *overlay, size_t out)
{
    bool joined = false;
    fprintf(overlay->to, "<path class=\"curve c%zu d%zu\" d=\"", out % COLOURS,
            out / COLOURS % COLOURS);
    for (size_t i = 0; i < overlay->columns; i++) {
        const double low = lowest_of(overlay, out, i);
        if (!isnan(low))
            fprintf(overlay->to, "%c%.1f %.1f%s", joined ? 'L' : 'M',
                    1000 * ((double)i + 0.5) / (double)overlay->columns,
                    axis_y(&overlay->axis, low), joined ? "" : "h.01");
        joined = !isnan(low);
    }
    fputs("\"/>", overlay->to);
}

/* Returns the OUT that is the lowest in a column; that of the index's count: none is. */
static size_t worst_of(const struct overlay *overlay, size_t column)
{
    size_t worst = overlay->index->count;
    double least = INFINITY;
    for (size_t i = 0; i < overlay->index->count; i++) {
        const double low = lowest_of(overlay, i, column);
        if (low < least) worst = i, least = low;
    }
    return worst;
}

/* Draws below the curves which OUT is the lowest where. */
static void put_worst(const struct overlay *overlay)
{
    const size_t columns = overlay->columns, outs = overlay->index->count;
    for (size_t i = 0; i < columns;) {
        const size_t worst = worst_of(overlay, i);
        size_t end = i + 1;
        while (end < columns && worst_of(overlay, end) == worst) end++;
        if (worst < outs)
            html_print(overlay->to,
                       "<rect class=\"f%zu\" x=\"%.3f%%\" width=\"%.3f%%\" y=\"%d\" "
                       "height=\"6\"><title>%s</title></rect>",
                       worst % COLOURS, 100 * (double)i / (double)columns,
                       100 * (double)(end - i) / (double)columns, TOP + HEIGHT + 4,
                       page_base(overlay->index->row[worst].name));
        i = end;
    }
}

static void put_names(const struct overlay *overlay)
{
    char name[TEXT_FRAME];
    const size_t count = overlay->longest->count, names = count < NAMES ? count : NAMES;
    for (size_t i = 0; i < names; i++) {
        const size_t at = (count - 1) * i / (names - 1);
        html_print(overlay->to, "<text class=\"frame\" x=\"%.3f%%\" y=\"%d\">%s</text>",
                   100 * ((double)at + 0.5) / (double)count, TOP + HEIGHT + LANE + 19,
                   page_name(overlay->longest, at, name));
    }
}

static void put_limit(const struct overlay *overlay)
{
    const double y = axis_y(&overlay->axis, overlay->limit);
    const bool other = overlay->metric != SSIMCU_METRIC_SSIM;
    if (!isfinite(overlay->limit)) return;
    fprintf(overlay->to,
            "<g class=\"limit\"><line x1=\"0\" x2=\"100%%\" y1=\"%.1f\" y2=\"%.1f\"/><text "
            "x=\"4\" y=\"%.1f\">%s%s%s%.9g</text></g>",
            y, y, axis_beside(&overlay->axis, y), overlay->tile ? "--min-tile " : "--min-frame ",
            other ? metrics_name(overlay->metric) : "", other ? "=" : "", overlay->limit);
}

static void put_area(const struct overlay *overlay)
{
    const char *const name =
        overlay->metric == SSIMCU_METRIC_SSIM ? "Score" : metrics_title(overlay->metric);
    FILE *to = overlay->to;
    fprintf(to,
            "<div class=\"area\"><svg width=\"100%%\" height=\"%d\" role=\"img\" "
            "aria-label=\"%s of each frame, a curve for each OUT\">",
            TOP + HEIGHT + FOOT, overlay->tile ? "Worst tile" : name);
    axis_grid(to, &overlay->axis);
    axis_curves(to, &overlay->axis);
    for (size_t i = 0; i < overlay->index->count; i++)
        if (overlay->index->row[i].report) put_curve(overlay, i);
    fputs("</svg>", to);
    if (overlay->outs > 1) put_worst(overlay);
    put_limit(overlay);
    put_names(overlay);
    fputs("</svg></div>\n", to);
}

static void put_plot(FILE *to, const struct index *index, bool tile, ssimcu_metric metric)
{
    struct overlay overlay = {.to = to, .index = index, .metric = metric, .tile = tile};
    if (!measure(&overlay)) return;
    fprintf(to, "<section>\n<h2>%s</h2>\n<p class=\"legend\">",
            tile                           ? "Worst tiles"
            : metric == SSIMCU_METRIC_SSIM ? "Scores"
                                           : metrics_title(metric));
    for (size_t i = 0; i < index->count; i++) {
        if (!index->row[i].report) continue;
        fputs("<span class=\"of\">", to);
        page_overlay_key(to, i);
        html_name(to, page_base(index->row[i].name));
        fputs("</span> ", to);
    }
    if (overlay.outs > 1) fputs("Below: which OUT is the lowest.", to);
    fputs("</p>\n<div class=\"plot wide\">\n", to);
    axis_begin(to, &overlay.axis);
    axis_end(to);
    put_area(&overlay);
    fputs("</div>\n</section>\n", to);
}

void page_overlay(FILE *to, const struct index *index)
{
    ssimcu_metric order[SSIMCU_METRICS];
    rates_order(index, order);
    for (int m = 0; m < SSIMCU_METRICS; m++) {
        if (order[m] == SSIMCU_METRIC_SSIM) put_plot(to, index, true, order[m]);
        put_plot(to, index, false, order[m]);
    }
}
