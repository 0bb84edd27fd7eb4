/* The plot of scores over frames, as the files that draw it see it. */
#ifndef SSIMCU_QA_REPORT_PLOT_H
#define SSIMCU_QA_REPORT_PLOT_H

#include "report/page/page.h"
#include "report/page/scale.h"

enum { PLOT_HEIGHT = 240 /* height of the curves */ };

struct plot {
    const struct page *page;
    struct scale scale;
    size_t count, columns;
    double top;     /* place of the curves, below the shots' names */
    double lane[4]; /* place of each state's lane; negative: no frame has the state */
    double foot, height;
};

/* Returns the place of a score, in pixels from above. */
static inline double plot_y(const struct plot *plot, double score)
{
    return plot->top + PLOT_HEIGHT * scale_place(&plot->scale, score);
}

/* Draws the limits of the options, and those that the file has for some frames. */
void plot_limits(const struct plot *plot);

#endif
