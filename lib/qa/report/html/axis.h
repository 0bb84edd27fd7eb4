/* The axis beside a plot: its numbers, and its lines across the plot. */
#ifndef SSIMCU_QA_REPORT_AXIS_H
#define SSIMCU_QA_REPORT_AXIS_H

#include "facts/metrics.h"
#include "report/html/scale.h"

#include <stdio.h>

struct axis {
    struct scale scale;
    double top, tall; /* place and height of the curves, in pixels */
    double height;    /* of the whole plot */
    double tick[SCALE_TICKS];
    size_t ticks;
};

/* Makes the axis for values of a metric between these two, and chooses the ticks, whose numbers do
 * not touch. */
struct axis axis_make(ssimcu_metric metric, double lowest, double highest, double top, double tall,
                      double height);

/* Returns the place of a value, in pixels from above. */
double axis_y(const struct axis *axis, double value);

/* Returns the place of the name of a line at y: above it, or below if there is no room. */
double axis_beside(const struct axis *axis, double y);

/* Writes the numbers. Further text may follow until axis_end. */
void axis_begin(FILE *to, const struct axis *axis);
void axis_end(FILE *to);

void axis_grid(FILE *to, const struct axis *axis);

/* Begins a picture for curves, which is 1000 units wide, however wide the page is. */
void axis_curves(FILE *to, const struct axis *axis);

#endif
