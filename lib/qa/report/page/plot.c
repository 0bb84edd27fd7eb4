#include "report/page/plot.h"

#include "report/html/html_page.h"

#include <math.h>

extern const struct html_asset plot_html;

struct plot_range plot_range_of(ssimcu_metric metric)
{
    const bool near_1 = metrics_near_1(metric);
    return (struct plot_range){near_1 ? 1 : INFINITY, near_1 ? 0 : -INFINITY};
}

void plot_widen(struct plot_range *range, double value)
{
    if (!isfinite(value)) return;
    range->low = fmin(range->low, value);
    range->high = fmax(range->high, value);
}

double plot_value(const struct plot_values *of, size_t at)
{
    if (!of->report || at >= of->report->count) return NAN;
    const struct point *point = &of->report->point[at];
    return of->excess ? point->excess : of->tile ? point->tile : point->value[of->metric];
}

double plot_y(const struct plot *plot, double value)
{
    return plot->top + plot->tall * scale_place(&plot->scale, value);
}

double plot_x(const struct plot *plot, size_t at)
{
    return 100 * ((double)at + 0.5) / (double)plot->count;
}

struct plot plot_begin(struct model to, ssimcu_metric metric, const struct plot_range *range,
                       const struct plot *place)
{
    enum { APART = 17 /* height of a tick label */ };
    double tick[SCALE_TICKS];
    struct plot plot = *place;
    plot.to = model_item(to, "plots");
    plot.columns = plot.count < PLOT_COLUMNS ? plot.count : PLOT_COLUMNS;
    plot.scale = metrics_near_1(metric) ? scale_of(range->low, range->high)
                                        : scale_linear(range->low, range->high);
    const size_t ticks = scale_ticks(&plot.scale, APART / plot.tall, tick);
    model_text(plot.to, "height", "%.0f", plot.height);
    for (size_t i = 0; i < ticks; i++) {
        const struct model item = plot_mark(&plot, "ticks", 0, plot_y(&plot, tick[i]));
        model_text(item, "below", "%.1f", plot_y(&plot, tick[i]) + 4);
        model_text(item, "tick", "%.9g", tick[i]);
    }
    return plot;
}

struct model plot_mark(const struct plot *plot, const char *list, double x, double y)
{
    const struct model mark = model_item(plot->to, list);
    model_text(mark, "x", "%.3f", x);
    model_text(mark, "y", "%.1f", y);
    return mark;
}

/* ---- Curves ---------------------------------------------------------------------------------- */

/* Finds the lowest and the highest value of a column; NAN if no frame in it has one. */
static void find_span(const struct plot *plot, size_t column, const struct plot_values *of,
                      double span[2])
{
    span[0] = span[1] = NAN;
    for (size_t i = column * plot->count / plot->columns;
         i < (column + 1) * plot->count / plot->columns; i++) {
        const double value = plot_value(of, i);
        span[0] = fmin(span[0], value);
        span[1] = fmax(span[1], value);
    }
}

/* Draws consecutive columns, and a dot between two gaps. */
static void put_run(FILE *to, const struct plot *plot, double span[][2], size_t begin, size_t end,
                    bool area)
{
    const double wide = 1000.0 / (double)plot->columns;
    for (size_t i = begin; i < end; i++)
        fprintf(to, "%c%.1f %.1f", i == begin ? 'M' : 'L', ((double)i + 0.5) * wide,
                plot_y(plot, span[i][area]));
    if (end == begin + 1) fputs("h.01", to);
    for (size_t i = end; i-- > begin && area;)
        fprintf(to, "L%.1f %.1f%s", ((double)i + 0.5) * wide, plot_y(plot, span[i][0]),
                i == begin ? "Z" : "");
}

void plot_curve(const struct plot *plot, const char *class, const struct plot_values *of, bool area)
{
    const struct model curve = model_item(plot->to, "curves");
    double span[PLOT_COLUMNS][2];
    struct markup path;
    model_texts(curve, "class", class);
    if (!model_open(curve, &path)) return;
    for (size_t i = 0; i < plot->columns; i++) find_span(plot, i, of, span[i]);
    for (size_t i = 0, end; i < plot->columns; i = end + 1) {
        for (end = i; end < plot->columns && !isnan(span[end][0]);) end++;
        if (end > i) put_run(path.to, plot, span, i, end, area && plot->columns < plot->count);
    }
    model_close(curve, "d", &path);
}

const char *plot_key(char text[PLOT_KEY], size_t n)
{
    snprintf(text, PLOT_KEY, "c%zu d%zu", n % PLOT_COLOURS, n / PLOT_COLOURS % PLOT_COLOURS);
    return text;
}

/* ---- Limits and names ------------------------------------------------------------------------ */

void plot_limit(const struct plot *plot, const char *class, const double from_to[2], double value)
{
    const struct model limit = plot_mark(plot, "limits", 0, plot_y(plot, value));
    model_texts(limit, "class", class);
    model_flag(limit, "line", true);
    model_text(limit, "from", "%.3f", from_to[0]);
    model_text(limit, "to", "%.3f", from_to[1]);
}

void plot_limit_name(const struct plot *plot, const char *class, double x, double value, bool below,
                     const char *text)
{
    const double y = plot_y(plot, value);
    const struct model limit = plot_mark(plot, "limits", x, y);
    model_texts(limit, "class text", class, text);
    model_text(limit, "beside", "%.1f", below || y < plot->top + 16 ? y + 13 : y - 4);
}

void plot_name(const struct plot *plot, const char *class, double x, double y, const char *name)
{
    model_texts(plot_mark(plot, "names", x, y), "class name", class, name);
}

void plot_write(struct model page, const char *name, struct model plots, const char *group,
                const char *tab)
{
    json_t *list = json_object_get(plots.json, "plots");
    model_flag(plots, "tabbed", json_array_size(list) > 1);
    model_texts(plots, "group tab", group, tab);
    if (json_array_size(list) > 0)
        model_flag((struct model){json_array_get(list, 0), plots.lost}, "first", true);
    html_part(page, name, &plot_html, plots);
}
