/* The axis of SSIM and MS-SSIM is logarithmic towards 1, because 0.97 and 0.99 differ as much as
 * 0.7 and 0.9. The axes of other metrics are linear. */
#pragma once

#include <stddef.h>

/* The axis runs from the tick below the lowest score to the tick above the highest. */
struct scale {
    double low, high;   /* levels; for a linear axis, values */
    size_t first, last; /* ticks of a logarithmic axis */
    double step;        /* interval of ticks on a linear axis; 0: logarithmic axis */
};

struct scale scale_of(double lowest, double highest);
struct scale scale_linear(double lowest, double highest);

/* Returns the place of a score, which may be infinite: 0 at the top of the axis, 1 at its foot. */
double scale_place(const struct scale *scale, double score);

/* Chooses scores for ticks, first the ends and whole decades (0, 0.9, 0.99, ...). Any two places
 * are at least `apart` from each other. Returns their number. */
enum { SCALE_TICKS = 14 };
size_t scale_ticks(const struct scale *scale, double apart, double chosen[SCALE_TICKS]);

/* Returns the score at a place. */
double scale_score(const struct scale *scale, double place);

/* Classes of scores for colours; class 0 is the worst. Scores of class k are below end[k]. */
enum { SCALE_CLASSES = 5, SCALE_BELOW = 1 /* class of values just below a limit */ };
struct scale_classes {
    double end[SCALE_CLASSES];
};

/* Return classes of scores, and of 1 minus the share of its limit that a frame uses. Classes up to
 * SCALE_BELOW are beyond the limit. */
struct scale_classes scale_classes_of_scores(void);
struct scale_classes scale_classes_of_limits(void);
unsigned scale_class(const struct scale_classes *classes, double score);
