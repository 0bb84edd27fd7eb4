#include "report/html/axis.h"

enum { APART = 17 /* height of a tick's number */ };

struct axis axis_make(ssimcu_metric metric, double lowest, double highest, double top, double tall,
                      double height)
{
    struct axis axis = {.top = top, .tall = tall, .height = height};
    axis.scale = metrics_near_1(metric) ? scale_of(lowest, highest) : scale_linear(lowest, highest);
    axis.ticks = scale_ticks(&axis.scale, APART / tall, axis.tick);
    return axis;
}

double axis_y(const struct axis *axis, double value)
{
    return axis->top + axis->tall * scale_place(&axis->scale, value);
}

double axis_beside(const struct axis *axis, double y)
{
    return y < axis->top + 16 ? y + 13 : y - 4;
}

void axis_begin(FILE *to, const struct axis *axis)
{
    fprintf(to, "<svg class=\"axis\" width=\"64\" height=\"%.0f\" aria-hidden=\"true\">",
            axis->height);
    for (size_t i = 0; i < axis->ticks; i++)
        fprintf(to, "<text x=\"56\" y=\"%.1f\">%.9g</text>", axis_y(axis, axis->tick[i]) + 4,
                axis->tick[i]);
}

void axis_end(FILE *to) { fputs("</svg>\n", to); }

void axis_grid(FILE *to, const struct axis *axis)
{
    for (size_t i = 0; i < axis->ticks; i++) {
        const double y = axis_y(axis, axis->tick[i]);
        fprintf(to, "<line class=\"grid\" x1=\"0\" x2=\"100%%\" y1=\"%.1f\" y2=\"%.1f\"/>", y, y);
    }
}

void axis_curves(FILE *to, const struct axis *axis)
{
    fprintf(to,
            "<svg width=\"100%%\" height=\"%.0f\" viewBox=\"0 0 1000 %.0f\" "
            "preserveAspectRatio=\"none\">",
            axis->height, axis->height);
}
