/* A plot of a metric over the frames, and what its files share. */
#ifndef SSIMCU_QA_REPORT_PLOT_H
#define SSIMCU_QA_REPORT_PLOT_H

#include "report/html/axis.h"
#include "report/page/page.h"

enum {
    PLOT_HEIGHT = 240, /* height of the curves */
    PLOT_LANES = 4
};

struct plot {
    FILE *to;
    const struct page *page;
    ssimcu_metric metric;
    bool excess;      /* instead: how much of its limit each frame is, of which more is worse */
    bool tiles;       /* the worst tiles have a curve, too */
    struct axis axis; /* its curves lie below the shots' names */
    size_t count, columns;
    double lane[PLOT_LANES]; /* place of each state's lane; negative: no frame has the state */
    double foot;
};

/* The states that have lanes. */
extern const char *const plot_states[PLOT_LANES];

/* The axis beside the curves with the lanes' names, and the histogram (plot_axis.c). */
void plot_axis(const struct plot *plot);
void plot_histogram(const struct plot *plot);

/* Returns the value of a frame; NAN: it has none. */
double plot_value(const struct plot *plot, size_t at);

/* Draws the limits of the options, and those that the file has for some frames. */
void plot_limits(const struct plot *plot);

#endif
