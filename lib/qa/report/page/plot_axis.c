/* What stands beside the curves of a plot: axis, limits and histogram. */
#include "report/page/plot.h"

#include <math.h>
#include <string.h>

enum { BINS = 24 };

const char *const plot_states[PLOT_LANES] = {"failed", "missing", "below", "hinted"};

double plot_y(const struct plot *plot, double value)
{
    return plot->top + PLOT_HEIGHT * scale_place(&plot->scale, value);
}

/* ---- Axis ------------------------------------------------------------------------------------ */

void plot_axis(const struct plot *plot, const double ticks[], size_t count)
{
    FILE *to = plot->page->to;
    fprintf(to, "<svg class=\"axis\" width=\"64\" height=\"%.0f\" aria-hidden=\"true\">",
            plot->height);
    for (size_t i = 0; i < count; i++)
        fprintf(to, "<text x=\"56\" y=\"%.1f\">%.9g</text>", plot_y(plot, ticks[i]) + 4, ticks[i]);
    for (int i = 0; i < PLOT_LANES; i++)
        if (plot->lane[i] >= 0)
            fprintf(to, "<text x=\"56\" y=\"%.1f\" class=\"lane\">%s</text>", plot->lane[i] + 4,
                    plot_states[i]);
    fputs("</svg>\n", to);
}

void plot_grid(const struct plot *plot, const double ticks[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        fprintf(plot->page->to,
                "<line class=\"grid\" x1=\"0\" x2=\"100%%\" y1=\"%.1f\" y2=\"%.1f\"/>",
                plot_y(plot, ticks[i]), plot_y(plot, ticks[i]));
}

/* A limit: the option that sets it, and its kind. */
struct limit {
    char option[40];
    const char *name;
    double limit;
};

/* Draws the limit's line, or the option's name beside the line if `place` is given. */
static void put_limit(const struct plot *plot, const struct limit *limit, const char *place)
{
    const double y = plot_y(plot, limit->limit);
    FILE *to = plot->page->to;
    fprintf(to, "<g class=\"limit %s\">", limit->name);
    if (place)
        fprintf(to, "<text x=\"%s\" y=\"%.1f\">%s%.9g</text>", place,
                y < plot->top + 16 ? y + 13 : y - 4, limit->option, limit->limit);
    else
        fprintf(to, "<line x1=\"0\" x2=\"100%%\" y1=\"%.1f\" y2=\"%.1f\"/>", y, y);
    fputs("</g>", to);
}

/* Names that would cover each other stand side by side, and no line crosses a name. */
void plot_limits(const struct plot *plot)
{
    enum { COUNT = 3, APART = 18 };
    static const char *const places[COUNT] = {"4", "36%", "68%"};
    const struct limits *limits = &plot->page->facts->verdict->limits;
    const ssimcu_metric m = plot->metric;
    const bool other = m != SSIMCU_METRIC_SSIM;
    struct limit row[COUNT] = {{"--min-tile ", "tile", plot->tiles ? limits->min_tile : -INFINITY},
                               {"--min-frame ", "score", limits->min_frame[m]},
                               {"--min-score ", "mean", limits->min_score[m]}};
    int place[COUNT] = {0};
    for (int i = 1; i < COUNT && other; i++) {
        const size_t used = strlen(row[i].option);
        snprintf(row[i].option + used, sizeof row[i].option - used, "%s=", metrics_names[m]);
    }
    for (int i = 0; i < COUNT; i++)
        if (isfinite(row[i].limit)) put_limit(plot, &row[i], NULL);
    for (int i = 0; i < COUNT; i++) {
        if (!isfinite(row[i].limit)) continue;
        for (int k = 0; k < i; k++)
            if (isfinite(row[k].limit) && place[k] >= place[i] &&
                fabs(plot_y(plot, row[k].limit) - plot_y(plot, row[i].limit)) < APART)
                place[i] = place[k] + 1;
        put_limit(plot, &row[i], places[place[i]]);
    }
}

/* ---- Histogram ------------------------------------------------------------------------------- */

static void put_bin(const struct plot *plot, size_t bin, size_t count, size_t most)
{
    const double tall = (double)PLOT_HEIGHT / BINS, from = (double)bin / BINS,
                 to = (double)(bin + 1) / BINS;
    if (count == 0) return;
    fprintf(plot->page->to,
            "<rect class=\"bin\" x=\"0\" y=\"%.1f\" width=\"%.2f%%\" height=\"%.1f\" "
            "data-count=\"%zu\"><title>%zu frame%s from %.6g to %.6g</title></rect>",
            plot->top + PLOT_HEIGHT * from + 0.5, 100 * (double)count / (double)most, tall - 1,
            count, count, count == 1 ? "" : "s", scale_score(&plot->scale, to),
            scale_score(&plot->scale, from));
}

void plot_histogram(const struct plot *plot)
{
    size_t bins[BINS] = {0}, most = 1;
    for (size_t i = 0; i < plot->count; i++) {
        const double score = plot->page->report->point[i].value[plot->metric];
        if (isnan(score)) continue;
        const size_t bin = (size_t)(BINS * scale_place(&plot->scale, score));
        bins[bin < BINS ? bin : BINS - 1]++;
    }
    for (size_t i = 0; i < BINS; i++) most = bins[i] > most ? bins[i] : most;
    fprintf(plot->page->to,
            "<svg class=\"histogram\" width=\"100%%\" height=\"%.0f\" role=\"img\" "
            "aria-label=\"Histogram: how many frames have which score\">",
            plot->height);
    for (size_t i = 0; i < BINS; i++) put_bin(plot, i, bins[i], most);
    fprintf(plot->page->to,
            "<line class=\"edge\" x1=\"0\" x2=\"0\" y1=\"%.1f\" y2=\"%.1f\"/><text x=\"100%%\" "
            "y=\"%.1f\">%zu<tspan class=\"unit\"> frame%s</tspan></text></svg>\n",
            plot->top, plot->top + PLOT_HEIGHT, plot->top + PLOT_HEIGHT + 18, most,
            most == 1 ? "" : "s");
}
