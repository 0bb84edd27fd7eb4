/* A plot of a metric over the frames, and what its files share. */
#ifndef SSIMCU_QA_REPORT_PLOT_H
#define SSIMCU_QA_REPORT_PLOT_H

#include "report/page/page.h"
#include "report/page/scale.h"

enum {
    PLOT_HEIGHT = 240, /* height of the curves */
    PLOT_LANES = 4,
    PLOT_TICKS_APART = 17
};

struct plot {
    const struct page *page;
    ssimcu_metric metric;
    bool tiles; /* the worst tiles have a curve, too */
    struct scale scale;
    size_t count, columns;
    double top;              /* place of the curves, below the shots' names */
    double lane[PLOT_LANES]; /* place of each state's lane; negative: no frame has the state */
    double foot, height;
};

/* The axis beside the curves, its lines, the limits, and the histogram are in plot_axis.c. */

/* The states that have lanes. */
extern const char *const plot_states[PLOT_LANES];

/* Returns the place of a value. */
double plot_y(const struct plot *plot, double value);

void plot_axis(const struct plot *plot, const double ticks[], size_t count);
void plot_grid(const struct plot *plot, const double ticks[], size_t count);
void plot_limits(const struct plot *plot);
void plot_histogram(const struct plot *plot);

#endif
