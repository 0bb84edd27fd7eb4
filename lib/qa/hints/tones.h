/* Tones: what the look for another tone works on. */
#ifndef SSIMCU_QA_HINTS_TONES_H
#define SSIMCU_QA_HINTS_TONES_H

#include "hints/look.h"

enum {
    TONE_CURVES = 4,
    TONES_EXPLAIN = 4 /* mean square, in levels, that a change of tone explains at least */
};

/* A value for each channel at each point; below 0: none, because too many pixels are clipped. */
struct tone_values {
    float at[3][SIGNATURE_POINTS];
};

/* Means of the pixels around the points. */
struct tones {
    const struct look *look;
    struct tone_values own[2];             /* REF, OUT: samples as they are */
    struct tone_values light[2];           /* the same as light; not of Y, U and V */
    struct tone_values curve[TONE_CURVES]; /* REF's samples after each curve; not of Y, U and V */
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

/* Returns whether means of the two sides differ by as much as a change of tone must explain, and
 * whether a line from any channel explains a tenth of it. A few points tell, which neither noise
 * nor movement passes. */
bool tones_differ(const struct look *look);

/* Takes the means of both sides. */
void tones_take(const struct look *look, struct tones *tones);

/* Applies a curve to a sample: 0, none where there should be one; 1, one more; 2, gamma 2.2 in the
 * place of sRGB; 3, the other way round. */
float tones_curve(const struct look *look, int curve, float sample);

/* Writes REF's means raised to a power pixel by pixel, and how they change with it: at every
 * `step`-th point. */
void tones_power(const struct tones *tones, double power, uint32_t step, struct tone_values *made,
                 struct tone_values *change);

/* How well a guess of OUT's means fits them. All are mean squares, on the scale of a display. */
struct tone_fit {
    bool usable;     /* enough points are not clipped and not far off */
    double left;     /* what the guess leaves unexplained */
    double before;   /* what REF itself leaves unexplained, at the same points */
    double explains; /* the most that it explains of any channel */
    double blurred;  /* the largest share of a channel's own variance that is left */
    double bent;     /* share of the guess's effect that the means of parts keep: of parts of the
                        values, and of parts of the frame */
};

/* Holds a guess against OUT: of its own means, or of those of light. */
struct tone_fit tones_fit(const struct tones *tones, const struct tone_values *guess,
                          bool of_light);

/* Returns the value that stands for 0 in a channel: 0.5 in chroma. */
float tones_middle(const struct look *look, uint32_t channel);

/* Fits a line to each channel: the simplest that is as good as the best. A channel with few points
 * gets that of no change. */
void lines_fit(const struct tones *tones, struct tone_line line[3]);

/* Returns whether a channel's samples at the points may be nearer to a line of REF's than to
 * REF's. */
bool lines_may_be(const struct look *look, const struct samples samples[2], uint32_t channel);

/* Adds the hints for lines. Returns false if they say nothing. */
bool lines_say(const struct look *look, const struct tone_line line[3]);

/* Fits OUT by a sum of all of REF's channels, which is more than any hint says. Returns false if it
 * cannot. */
bool affine_fit(const struct tones *tones, struct tone_values *guess);

#endif
