/* Tones: the data of the search for another tone. */
#pragma once

#include "hints/analysis.h"

enum {
    TONE_CURVES = 4,
    TONES_EXPLAIN = 4 /* least mean square, in levels, that a change of tone must explain */
};

/* A value for each channel at each point; below 0: too many pixels are clipped. */
struct tone_values {
    float at[3][SIGNATURE_POINTS];
};

/* Means of the pixels around the points. */
struct tones {
    const struct analysis *analysis;
    struct tone_values own[2];             /* REF, OUT: samples as they are */
    struct tone_values light[2];           /* the same as light; not for Y, U and V */
    struct tone_values curve[TONE_CURVES]; /* REF's samples after each curve; not for Y, U and V */
};

/* A line: y = gain * x + offset. */
struct tone_line {
    double gain, offset;
};

/* Sums over points: x of REF, y of OUT. */
struct tone_sums {
    double n, x, y, xx, xy, yy;
};

static inline void tone_sums_add(struct tone_sums *s, double x, double y)
{
    s->n++, s->x += x, s->y += y, s->xx += x * x, s->xy += x * y, s->yy += y * y;
}

/* Returns whether means of the two sides differ by as much as a change of tone must explain. A line
 * from any channel must also explain a tenth of it. A few points decide, and neither noise nor
 * movement passes. */
bool tones_differ(const struct analysis *analysis);

/* Takes the means of both sides. */
void tones_take(const struct analysis *analysis, struct tones *tones);

/* Applies a curve to a sample: 0, linear instead of sRGB; 1, the curve once more; 2, gamma 2.2
 * instead of sRGB; 3, the reverse. */
float tones_curve(const struct analysis *analysis, int curve, float sample);

/* Writes REF's means raised to a power pixel by pixel, and their change with the power: at every
 * `step`-th point. */
void tones_power(const struct tones *tones, double power, uint32_t step, struct tone_values *made,
                 struct tone_values *change);

/* How well a guess fits OUT's means. All are mean squares, on the scale of a display. */
struct tone_fit {
    bool usable;     /* enough points are not clipped and not far off */
    double left;     /* unexplained by the guess */
    double before;   /* unexplained by REF itself, at the same points */
    double explains; /* the most that it explains in any channel */
    double blurred;  /* the largest share of a channel's variance that is left */
    double bent;     /* share of the guess's effect that remains in means over ranges of values and
                        areas of the frame */
};

/* Compares a guess with OUT's means, as they are or as light. */
struct tone_fit tones_fit(const struct tones *tones, const struct tone_values *guess,
                          bool of_light);

/* Returns the value that means 0 in a channel: 0.5 in chroma. */
float tones_middle(const struct analysis *analysis, uint32_t channel);

/* Fits a line to each channel: the simplest that fits as well as the best. A channel with few
 * points gets the line of no change. */
void lines_fit(const struct tones *tones, struct tone_line line[3]);

/* Returns whether a channel's samples at the points may be nearer to a line of REF's than to
 * REF's. */
bool lines_may_be(const struct analysis *analysis, const struct samples samples[2],
                  uint32_t channel);

/* Adds the hints for lines. Returns false if there are none. */
bool lines_say(const struct analysis *analysis, const struct tone_line line[3]);

/* Fits OUT by a sum of all of REF's channels, which no hint can describe. Returns false if it
 * cannot. */
bool affine_fit(const struct tones *tones, struct tone_values *guess);
