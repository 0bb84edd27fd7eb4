/* Plots (plot.html): curves and marks over frames or bit rates, with one axis of values. */
#pragma once

#include "report/frames/collect.h"
#include "report/html/model.h"
#include "report/html/scale.h"

enum {
    PLOT_COLUMNS = 600, /* most values of a curve */
    PLOT_COLOURS = 6    /* colours of curves; further curves change the dashes */
};

struct plot {
    struct model to;
    double top, tall, height; /* place and height of the curves, height of all, in pixels */
    size_t count, columns;    /* frames, and values of a curve */
    struct scale scale;
};

/* Ends of an axis. Infinite values have no place on it. */
struct plot_range {
    double low, high;
};
struct plot_range plot_range_of(ssimcu_metric metric);
void plot_widen(struct plot_range *range, double value);

/* The values that a curve shows. */
struct plot_values {
    const struct report *report;
    ssimcu_metric metric;
    bool tile, excess; /* instead: the worst tile; the share of its limit that a frame uses */
};

/* Returns the value of a frame; NAN: none. */
double plot_value(const struct plot_values *of, size_t at);

/* Begins a plot: an element of "plots". `count` 0: it does not show frames. Chooses the ticks so
 * that their labels do not touch. */
struct plot plot_begin(struct model to, ssimcu_metric metric, const struct plot_range *range,
                       const struct plot *place);

/* Return the position of a value in pixels from the top, and the middle of a frame in percent. */
double plot_y(const struct plot *plot, double value);
double plot_x(const struct plot *plot, size_t at);

/* Adds the curve of a class: its lowest value in each column. If a column has several frames, an
 * `area` runs along the highest values and back along the lowest. */
void plot_curve(const struct plot *plot, const char *class, const struct plot_values *of,
                bool area);

/* Adds a limit: its line between two positions in percent, and its text, if any, at a third: above
 * the line, or `below` it. NAN: no line. */
void plot_limit(const struct plot *plot, const char *class, const double from_to[2], double value);
void plot_limit_name(const struct plot *plot, const char *class, double x, double value, bool below,
                     const char *text);

/* Adds a text below the curves. */
void plot_name(const struct plot *plot, const char *class, double x, double y, const char *name);

/* Adds an element of a list, and sets its position. */
struct model plot_mark(const struct plot *plot, const char *list, double x, double y);

/* Writes the classes for the colour and the dashes of the n-th curve, and returns `text`. */
enum { PLOT_KEY = 48 };
const char *plot_key(char text[PLOT_KEY], size_t n);

/* Fills in the template for {{{name}}}. `group` and `tab` are prefixes for the names of buttons. If
 * there are several plots, each has a button with its "key" and "title". They need no script,
 * because the style shows the plot of the checked button. */
void plot_write(struct model page, const char *name, struct model plots, const char *group,
                const char *tab);
