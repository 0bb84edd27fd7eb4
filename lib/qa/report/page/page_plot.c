/* The plot of scores over frames, and the histogram next to it on the same axis. It fits any width,
 * because x is in percent and y in pixels. */
#include "report/page/plot.h"

#include "report/page/page.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    HEIGHT = 240, /* height of the curves */
    LANES = 4,
    LANE = 16, /* height of a lane of marks below the curves */
    LABELS = 22,
    BANDS_DRAWN = 100,
    DOTTED = 120, /* sequences up to this length get dots, too */
    BINS = 24
};

/* The states that have lanes. */
static const char *const STATES[LANES] = {"failed", "missing", "below", "hinted"};

struct run_plot {
    const struct page *page;
    struct plot plot;
    struct plot_values own, tiles; /* `tiles` without a report: no curve of the worst tiles */
    double lane[LANES];            /* position of each state's lane; negative: no frame has it */
    double foot;
};

/* A frame below a limit may also have hints. */
static bool has_state(const struct point *point, int state)
{
    return state == 3 ? point->kinds != 0 : strcmp(page_state(point), STATES[state]) == 0;
}

/* Returns whether the shots are drawn. A single shot needs no name, and many names have no room. */
static bool has_bands(const struct report *report)
{
    return report->bands > 1 && report->bands <= BANDS_DRAWN;
}

/* Finds the ends of the axis. The axis of excess shows the limit, and clips values far beyond
 * it. */
static struct plot_range range_of(const struct run_plot *run)
{
    enum { MOST = 5 };
    const struct report *report = run->page->report;
    const struct limits *limits = &run->page->facts->verdict->limits;
    const ssimcu_metric m = run->own.metric;
    const bool ssim = m == SSIMCU_METRIC_SSIM;
    struct plot_range range = plot_range_of(m), excess = {0, 1.25};
    for (size_t i = 0; i < report->count; i++) {
        const double value = plot_value(&run->own, i);
        if (run->own.excess && value > 0) excess.high = fmin(fmax(excess.high, value), MOST);
        plot_widen(&range, value);
        range.low = fmin(range.low, plot_value(&run->tiles, i)); /* fmin skips NAN */
        for (int k = 0; k < 2 && ssim; k++) plot_widen(&range, report->point[i].least[k]);
    }
    plot_widen(&range, limits_score(limits, m));
    plot_widen(&range, limits_number(limits, limits_fault(m)));
    if (ssim) plot_widen(&range, limits_number(limits, SSIMCU_LIMIT_MIN_TILE));
    return run->own.excess ? excess : range;
}

static void begin(struct run_plot *run, struct model to)
{
    const struct report *report = run->page->report;
    const bool excess = run->own.excess;
    struct plot place = {.top = has_bands(report) ? 18 : 4, .tall = HEIGHT, .count = report->count};
    bool any[LANES] = {false};
    run->foot = place.top + HEIGHT + 6;
    for (size_t i = 0; i < report->count; i++)
        for (int k = 0; k < LANES; k++) any[k] = any[k] || has_state(&report->point[i], k);
    for (int i = 0; i < LANES; i++) {
        run->lane[i] = any[i] ? run->foot + LANE / 2.0 : -1;
        if (any[i]) run->foot += LANE;
    }
    const struct plot_range range = range_of(run);
    place.height = run->foot + LABELS;
    run->plot = plot_begin(to, excess ? SSIMCU_METRIC_PSNR : run->own.metric, &range, &place);
    for (int i = 0; i < LANES; i++)
        if (any[i])
            model_texts(plot_mark(&run->plot, "lanes", 0, run->lane[i] + 4), "lane", STATES[i]);
}

/* ---- Frames ---------------------------------------------------------------------------------- */

/* Names every step-th frame. A narrow page hides every second name. Bands have the names of
 * shots. */
static void add_names(const struct run_plot *run)
{
    static const size_t steps[] = {1, 2, 5};
    const struct plot *plot = &run->plot;
    const struct point *point = run->page->report->point;
    size_t step = 1, power = 1;
    for (int i = 0; plot->count / step > 12; i++) {
        if (i % 3 == 2) power *= 10;
        step = steps[(i + 1) % 3] * power;
    }
    const int64_t first = point[0].frame;
    const size_t start = first < 0 ? 0 : (step - (size_t)first % step) % step;
    for (size_t at = start, n = 0; at < plot->count; at += step, n++) {
        char name[24];
        snprintf(name, sizeof name, "%" PRId64, point[at].frame);
        plot_name(plot, n % 2 ? "frame minor" : "frame", plot_x(plot, at), run->foot + 15, name);
    }
}

static void add_dots(const struct run_plot *run, const struct plot_values *of, const char *class)
{
    for (size_t i = 0; i < run->plot.count && run->plot.count <= DOTTED; i++) {
        const double value = plot_value(of, i);
        if (!isnan(value))
            model_texts(
                plot_mark(&run->plot, "dots", plot_x(&run->plot, i), plot_y(&run->plot, value)),
                "class", class);
    }
}

/* Adds at most one mark for each column and state. */
static void add_marks(const struct run_plot *run, int state)
{
    const struct plot *plot = &run->plot;
    const struct report *report = run->page->report;
    size_t last = SIZE_MAX;
    for (size_t i = 0; i < plot->count; i++) {
        const size_t column = i * plot->columns / plot->count;
        char anchor[PAGE_ANCHOR], name[TEXT_FRAME];
        if (last == column || !has_state(&report->point[i], state)) continue;
        last = column;
        const struct model mark = plot_mark(plot, "marks", plot_x(plot, i), run->lane[state]);
        model_texts(mark, "state href", STATES[state], page_anchor(run->page, i, anchor));
        model_text(mark, "label", "frame %s, %s", page_name(report, i, name), STATES[state]);
    }
}

static void add_bands(const struct run_plot *run)
{
    const struct report *report = run->page->report;
    const double count = (double)run->plot.count;
    for (size_t i = 0; i < report->bands && has_bands(report); i++) {
        const size_t begin = report->band[i].first,
                     end = i + 1 < report->bands ? report->band[i + 1].first : run->plot.count;
        const struct model band = plot_mark(&run->plot, "bands", 100 * (double)begin / count, 0);
        model_text(band, "width", "%.3f", 100 * (double)(end - begin) / count);
        model_text(band, "foot", "%.1f", run->foot);
        model_texts(band, "parity band", i % 2 ? "odd" : "even", report->band[i].shot);
    }
}

/* ---- Limits ---------------------------------------------------------------------------------- */

static const double WHOLE[2] = {0, 100};

/* Adds the limits of options. Names that would overlap are placed side by side, and no line crosses
 * a name. */
static void add_options(const struct run_plot *run)
{
    enum { COUNT = 3, APART = 18 };
    static const double places[COUNT] = {0, 36, 68};
    static const char *const classes[COUNT] = {"tile", "score", "mean"};
    const struct limits *limits = &run->page->facts->verdict->limits;
    const ssimcu_metric m = run->own.metric;
    const double limit[COUNT] = {run->tiles.report ? limits_number(limits, SSIMCU_LIMIT_MIN_TILE)
                                                   : NAN,
                                 limits_number(limits, limits_fault(m)), limits_score(limits, m)};
    int place[COUNT] = {0};
    for (int i = 0; i < COUNT; i++)
        if (isfinite(limit[i])) plot_limit(&run->plot, classes[i], WHOLE, limit[i]);
    for (int i = 0; i < COUNT; i++) {
        char name[VERDICT_LIMIT];
        if (!isfinite(limit[i])) continue;
        for (int k = 0; k < i; k++)
            if (isfinite(limit[k]) && place[k] >= place[i] &&
                fabs(plot_y(&run->plot, limit[k]) - plot_y(&run->plot, limit[i])) < APART)
                place[i] = place[k] + 1;
        if (i == COUNT - 1)
            (void)verdict_score_text(name, limits, m);
        else
            (void)verdict_limit_text(name, limits, i ? limits_fault(m) : SSIMCU_LIMIT_MIN_TILE);
        plot_limit_name(&run->plot, classes[i], places[place[i]], limit[i], false, name);
    }
}

/* Returns the highest limit that the file has for the frames of a column. */
static double least_in(const struct run_plot *run, size_t column, bool tile)
{
    const struct plot *plot = &run->plot;
    double least = -INFINITY;
    for (size_t i = column * plot->count / plot->columns;
         i < (column + 1) * plot->count / plot->columns; i++)
        least = fmax(least, run->page->report->point[i].least[tile]);
    return least;
}

/* Adds the limits of the file, one step per series of frames with the same limit, with its name if
 * it fits. Names of tiles are below their line, others above. */
static void add_steps(const struct run_plot *run, bool tile)
{
    const char *class = tile ? "tile" : "score";
    const size_t columns = run->plot.columns;
    for (size_t begin = 0, end; begin < columns; begin = end) {
        const double least = least_in(run, begin, tile);
        char name[60];
        for (end = begin + 1; end < columns && least_in(run, end, tile) == least;) end++;
        const double ends[2] = {100 * (double)begin / (double)columns,
                                100 * (double)end / (double)columns};
        if (!isfinite(least)) continue;
        plot_limit(&run->plot, class, ends, least);
        snprintf(name, sizeof name, "%s %.9g", tile ? "min_tile" : "min_frame", least);
        if (ends[1] - ends[0] > 12) plot_limit_name(&run->plot, class, ends[0], least, tile, name);
    }
}

static void add_limits(const struct run_plot *run)
{
    if (run->own.excess) {
        plot_limit(&run->plot, "score", WHOLE, 1);
        plot_limit_name(&run->plot, "score", 0, 1, false, "limit 1");
        return;
    }
    add_options(run);
    for (int tile = 0; tile < 2 && run->own.metric == SSIMCU_METRIC_SSIM; tile++)
        add_steps(run, tile);
}

/* ---- Histogram ------------------------------------------------------------------------------- */

static void set_histogram(const struct run_plot *run)
{
    const struct plot *plot = &run->plot;
    const struct model to = model_in(plot->to, "histogram");
    size_t bins[BINS] = {0}, most = 1;
    for (size_t i = 0; i < plot->count; i++) {
        const double score = plot_value(&run->own, i);
        if (isnan(score)) continue;
        const size_t bin = (size_t)(BINS * scale_place(&plot->scale, score));
        bins[bin < BINS ? bin : BINS - 1]++;
    }
    for (size_t i = 0; i < BINS; i++) most = bins[i] > most ? bins[i] : most;
    for (size_t i = 0; i < BINS; i++) {
        const double from = (double)i / BINS, end = (double)(i + 1) / BINS;
        if (bins[i] == 0) continue;
        const struct model bin = model_item(to, "bins");
        model_text(bin, "y", "%.1f", plot->top + HEIGHT * from + 0.5);
        model_text(bin, "width", "%.2f", 100 * (double)bins[i] / (double)most);
        model_text(bin, "tall", "%.1f", (double)HEIGHT / BINS - 1);
        model_number(bin, "count", bins[i]);
        model_plural(bin, bins[i]);
        model_text(bin, "from", "%.6g", scale_score(&plot->scale, end));
        model_text(bin, "to", "%.6g", scale_score(&plot->scale, from));
    }
    model_text(to, "top", "%.1f", plot->top);
    model_text(to, "bottom", "%.1f", plot->top + HEIGHT);
    model_text(to, "below", "%.1f", plot->top + HEIGHT + 18);
    model_number(to, "most", most);
    model_plural(to, most);
}

/* ---- All of it ------------------------------------------------------------------------------- */

static void set_legend(const struct run_plot *run)
{
    const struct model to = run->plot.to;
    const ssimcu_metric metric = run->own.metric;
    const bool ssim = metric == SSIMCU_METRIC_SSIM, excess = run->own.excess;
    const char *title = excess ? "excess" : metrics_title(metric);
    const uint64_t identical = run->page->facts->summary->numbers.metrics[metric].identical;
    model_flag(to, "tiles", run->tiles.report != NULL);
    model_flag(to, "points_at", !excess);
    model_texts(to, "shows role title key",
                excess ? "multiple of its limit"
                : ssim ? "score"
                       : title,
                "group", excess ? "Limits" : title, excess ? "excess" : metrics_key(metric));
    model_text(to, "label", "%s%s of each frame",
               excess ? "Multiple of its limit"
               : ssim ? "Score"
                      : title,
               run->tiles.report ? " and worst tile" : "");
    if (excess)
        model_texts(to, "says",
                    " of each frame; above 1 a frame is over its limit. Values off the axis are at "
                    "its top.");
    else
        model_text(to, "says", " of each frame%s%s. To the right how many frames have which score.",
                   metrics_near_1(metric) ? "; the axis is logarithmic towards 1" : "",
                   identical > 0 ? "; identical frames are at its top" : "");
    const struct model script = model_in(to, "script");
    model_texts(script, "metric", title);
    model_text(script, "top", "%.0f", run->plot.top);
    model_number(script, "tall", HEIGHT);
    model_text(script, "low", "%.9g", run->plot.scale.low);
    model_text(script, "high", "%.9g", run->plot.scale.high);
}

static void add_plot(struct model to, const struct page *page, ssimcu_metric metric, bool excess)
{
    const struct report *report = page->report;
    const bool tiles = !excess && metric == SSIMCU_METRIC_SSIM && report->tiles.count > 0;
    struct run_plot run = {.page = page,
                           .own = {report, metric, false, excess},
                           .tiles = {tiles ? report : NULL, metric, true, false}};
    begin(&run, to);
    const bool area = run.plot.columns < run.plot.count;
    set_legend(&run);
    add_bands(&run);
    if (tiles) plot_curve(&run.plot, area ? "tile area" : "tile line", &run.tiles, true);
    plot_curve(&run.plot, area ? "score area" : "score line", &run.own, true);
    add_dots(&run, &run.tiles, "tile");
    add_dots(&run, &run.own, "score");
    add_limits(&run);
    for (int state = 0; state < LANES; state++) add_marks(&run, state);
    add_names(&run);
    set_histogram(&run);
}

void page_plot(struct model to, const struct page *page)
{
    ssimcu_metric metric[SSIMCU_METRICS];
    const size_t metrics = page_metrics(page->report, metric);
    const struct model plots = model_in(to, "plot");
    if (page->report->count < 2) return;
    if (page->report->limited) add_plot(plots, page, metric[0], true);
    for (size_t i = 0; i < metrics; i++) add_plot(plots, page, metric[i], false);
    plot_write(to, "plots", plots, "plotted", "plot");
}
