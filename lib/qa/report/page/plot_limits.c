#include "report/page/plot.h"

#include <stdio.h>
#include <string.h>

/* A limit: the option that sets it, and its kind. */
struct limit {
    char option[40];
    const char *name;
    double limit;
};

/* Draws the limit's line, or the option's name beside the line if `place` is given. */
static void put_limit(const struct plot *plot, const struct limit *limit, const char *place)
{
    const double y = axis_y(&plot->axis, limit->limit);
    FILE *to = plot->to;
    fprintf(to, "<g class=\"limit %s\">", limit->name);
    if (place)
        fprintf(to, "<text x=\"%s\" y=\"%.1f\">%s%.9g</text>", place, axis_beside(&plot->axis, y),
                limit->option, limit->limit);
    else
        fprintf(to, "<line x1=\"0\" x2=\"100%%\" y1=\"%.1f\" y2=\"%.1f\"/>", y, y);
    fputs("</g>", to);
}

/* Names that would cover each other stand side by side, and no line crosses a name. */
static void put_options(const struct plot *plot)
{
    enum { COUNT = 3, APART = 18 };
    static const char *const places[COUNT] = {"4", "36%", "68%"};
    const struct limits *limits = &plot->page->facts->verdict->limits;
    const ssimcu_metric m = plot->metric;
    const bool other = m != SSIMCU_METRIC_SSIM;
    struct limit row[COUNT] = {
        {"--min-tile ", "tile", plot->tiles ? limits_number(limits, SSIMCU_LIMIT_MIN_TILE) : NAN},
        {"--min-frame ", "score", limits_number(limits, limits_fault(m))},
        {"--min-score ", "mean", limits_score(limits, m)}};
    int place[COUNT] = {0};
    for (int i = 1; i < COUNT && other; i++) {
        const size_t used = strlen(row[i].option);
        snprintf(row[i].option + used, sizeof row[i].option - used, "%s=", metrics_name(m));
    }
    for (int i = 0; i < COUNT; i++)
        if (isfinite(row[i].limit)) put_limit(plot, &row[i], NULL);
    for (int i = 0; i < COUNT; i++) {
        if (!isfinite(row[i].limit)) continue;
        for (int k = 0; k < i; k++)
            if (isfinite(row[k].limit) && place[k] >= place[i] &&
                fabs(axis_y(&plot->axis, row[k].limit) - axis_y(&plot->axis, row[i].limit)) < APART)
                place[i] = place[k] + 1;
        put_limit(plot, &row[i], places[place[i]]);
    }
}

/* Returns the highest limit that the file has for the frames of a column. */
static double least_in(const struct plot *plot, size_t column, bool tile)
{
    double least = -INFINITY;
    for (size_t i = column * plot->count / plot->columns;
         i < (column + 1) * plot->count / plot->columns; i++)
        least = fmax(least, plot->page->report->point[i].least[tile]);
    return least;
}

/* Draws a limit of the file over the frames that have it, with its name if there is room. Names of
 * tiles are below their line, others above. */
static void put_step(const struct plot *plot, size_t begin, size_t end, bool tile)
{
    const double least = least_in(plot, begin, tile), y = axis_y(&plot->axis, least);
    const double from = 100 * (double)begin / (double)plot->columns,
                 to = 100 * (double)end / (double)plot->columns;
    fprintf(plot->to,
            "<g class=\"limit %s\"><line x1=\"%.3f%%\" x2=\"%.3f%%\" y1=\"%.1f\" y2=\"%.1f\"/>",
            tile ? "tile" : "score", from, to, y, y);
    if (to - from > 12)
        fprintf(plot->to, "<text x=\"%.3f%%\" dx=\"4\" y=\"%.1f\">%s %.9g</text>", from,
                tile ? y + 13 : axis_beside(&plot->axis, y), tile ? "min_tile" : "min_frame",
                least);
    fputs("</g>", plot->to);
}

/* Draws the limits of the file, a step for each stretch of frames with the same one. */
static void put_steps(const struct plot *plot, bool tile)
{
    for (size_t begin = 0, end; begin < plot->columns; begin = end) {
        const double least = least_in(plot, begin, tile);
        for (end = begin + 1; end < plot->columns && least_in(plot, end, tile) == least;) end++;
        if (isfinite(least)) put_step(plot, begin, end, tile);
    }
}

void plot_limits(const struct plot *plot)
{
    static const struct limit one = {"limit ", "score", 1};
    if (plot->excess) {
        put_limit(plot, &one, NULL);
        put_limit(plot, &one, "4");
        return;
    }
    put_options(plot);
    for (int tile = 0; tile < 2 && plot->metric == SSIMCU_METRIC_SSIM; tile++)
        put_steps(plot, tile);
}
