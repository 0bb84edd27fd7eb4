/* What stands beside the curves of a plot: axis and histogram. */
#include "report/page/plot.h"

#include <math.h>

enum { BINS = 24 };

const char *const plot_states[PLOT_LANES] = {"failed", "missing", "below", "hinted"};

double plot_value(const struct plot *plot, size_t at)
{
    const struct point *point = &plot->page->report->point[at];
    return plot->excess ? point->excess : point->value[plot->metric];
}

/* ---- Axis ------------------------------------------------------------------------------------ */

void plot_axis(const struct plot *plot)
{
    FILE *to = plot->to;
    axis_begin(to, &plot->axis);
    for (int i = 0; i < PLOT_LANES; i++)
        if (plot->lane[i] >= 0)
            fprintf(to, "<text x=\"56\" y=\"%.1f\" class=\"lane\">%s</text>", plot->lane[i] + 4,
                    plot_states[i]);
    axis_end(to);
}

/* ---- Histogram ------------------------------------------------------------------------------- */

static void put_bin(const struct plot *plot, size_t bin, size_t count, size_t most)
{
    const double tall = (double)PLOT_HEIGHT / BINS, from = (double)bin / BINS,
                 to = (double)(bin + 1) / BINS;
    if (count == 0) return;
    fprintf(plot->to,
            "<rect class=\"bin\" x=\"0\" y=\"%.1f\" width=\"%.2f%%\" height=\"%.1f\" "
            "data-count=\"%zu\"><title>%zu frame%s from %.6g to %.6g</title></rect>",
            plot->axis.top + PLOT_HEIGHT * from + 0.5, 100 * (double)count / (double)most, tall - 1,
            count, count, count == 1 ? "" : "s", scale_score(&plot->axis.scale, to),
            scale_score(&plot->axis.scale, from));
}

void plot_histogram(const struct plot *plot)
{
    size_t bins[BINS] = {0}, most = 1;
    for (size_t i = 0; i < plot->count; i++) {
        const double score = plot_value(plot, i);
        if (isnan(score)) continue;
        const size_t bin = (size_t)(BINS * scale_place(&plot->axis.scale, score));
        bins[bin < BINS ? bin : BINS - 1]++;
    }
    for (size_t i = 0; i < BINS; i++) most = bins[i] > most ? bins[i] : most;
    fprintf(plot->to,
            "<svg class=\"histogram\" width=\"100%%\" height=\"%.0f\" role=\"img\" "
            "aria-label=\"Histogram: how many frames have which score\">",
            plot->axis.height);
    for (size_t i = 0; i < BINS; i++) put_bin(plot, i, bins[i], most);
    fprintf(plot->to,
            "<line class=\"edge\" x1=\"0\" x2=\"0\" y1=\"%.1f\" y2=\"%.1f\"/><text x=\"100%%\" "
            "y=\"%.1f\">%zu<tspan class=\"unit\"> frame%s</tspan></text></svg>\n",
            plot->axis.top, plot->axis.top + PLOT_HEIGHT, plot->axis.top + PLOT_HEIGHT + 18, most,
            most == 1 ? "" : "s");
}
