/* Plots (plot.html): curves and marks over frames or bit rates, with one axis of values. */
#ifndef SSIMCU_QA_REPORT_PLOT_H
#define SSIMCU_QA_REPORT_PLOT_H

#include "report/frames/collect.h"
#include "report/html/model.h"
#include "report/html/scale.h"

enum {
    PLOT_COLUMNS = 600, /* values of a curve, at most */
    PLOT_COLOURS = 6    /* colours of curves; then the dashes change */
};

struct plot {
    struct model to;
    double top, tall, height; /* place and height of the curves, height of all, in pixels */
    size_t count, columns;    /* frames, and values of a curve */
    struct scale scale;
};

/* Ends of an axis. What is infinite has no place on it. */
struct plot_range {
    double low, high;
};
struct plot_range plot_range_of(ssimcu_metric metric);
void plot_widen(struct plot_range *range, double value);

/* What a curve shows of the frames of a report. */
struct plot_values {
    const struct report *report;
    ssimcu_metric metric;
    bool tile, excess; /* instead: the worst tile; how much of its limit a frame is */
};

/* Returns the value of a frame; NAN: it has none. */
double plot_value(const struct plot_values *of, size_t at);

/* Begins a plot: an element of "plots". `count`: 0: it is not of frames. Chooses the ticks, whose
 * numbers do not touch. */
struct plot plot_begin(struct model to, ssimcu_metric metric, const struct plot_range *range,
                       const struct plot *place);

/* Returns the place of a value, in pixels from above; the middle of a frame, in percent. */
double plot_y(const struct plot *plot, double value);
double plot_x(const struct plot *plot, size_t at);

/* Adds the curve of a class: its lowest value in each column. If a column has several frames, an
 * `area` goes there along the highest ones, and back along the lowest. */
void plot_curve(const struct plot *plot, const char *class, const struct plot_values *of,
                bool area);

/* Adds a limit: its line between two places in percent, and its text, if there is one, at a third
 * place: above the line, or `below` it. NAN: there is no line. */
void plot_limit(const struct plot *plot, const char *class, const double from_to[2], double value);
void plot_limit_name(const struct plot *plot, const char *class, double x, double value, bool below,
                     const char *text);

/* Adds a text below the curves. */
void plot_name(const struct plot *plot, const char *class, double x, double y, const char *name);

/* Adds an element of a list, and sets its place. */
struct model plot_mark(const struct plot *plot, const char *list, double x, double y);

/* Writes the classes of a colour and of dashes, of the n-th curve, and returns `text`. */
enum { PLOT_KEY = 48 };
const char *plot_key(char text[PLOT_KEY], size_t n);

/* Fills in the template for {{{name}}}. `group` and `tab` begin the names of buttons, one for each
 * plot if there are several, each by its "key" and "title". They need no script, because the style
 * shows the plot of the one that is checked. */
void plot_write(struct model page, const char *name, struct model plots, const char *group,
                const char *tab);

#endif
