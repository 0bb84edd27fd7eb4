/* Bjontegaard's deltas: how much less bit rate one encoder takes than another at the same quality,
 * on the average, and how much better it is at the same rate. G. Bjontegaard, VCEG-M33 (2001): the
 * curves of two encoders are quality over the logarithm of the rate, and the mean distance of the
 * two is taken where both are known. M33 fits one cubic to the points of each; later documents
 * (JCTVC-B055, VCEG-AL22) use piecewise cubics that pass through the points and do not overshoot
 * (PCHIP: Fritsch and Butland, SIAM J. Sci. Stat. Comput. 5, 1984). Both are computed. */
#ifndef SSIMCU_QA_BJONTEGAARD_H
#define SSIMCU_QA_BJONTEGAARD_H

#include <stdbool.h>
#include <stddef.h>

enum { BD_POINTS = 64 }; /* most points of a curve */

/* One encode. */
struct bd_point {
    double rate;    /* bits in a second, above 0 */
    double quality; /* a value of a metric; higher is better */
};

/* The reason why two curves have no deltas. */
enum bd_lack {
    BD_NONE,
    BD_FEW,  /* a curve has less than two points */
    BD_FALLS /* the quality of a curve does not rise with its rate */
};

struct bd {
    enum bd_lack lack; /* not NONE: nothing else is valid */
    /* By PCHIP: percent of rate at the same quality, below 0 if the second curve takes less, and
     * units of quality at the same rate. NAN: the curves have no quality, or no rate, in common. */
    double rate, quality;
    double rate_fit, quality_fit; /* by one cubic; NAN also if a curve has less than four points */
    double low, high;             /* qualities that both curves have; valid unless `rate` is NAN */
    double share;                 /* of all qualities that either has, 0 to 1 */
    bool crosses;                 /* either curve takes less rate somewhere ... */
    double at;                    /* ... and this is the lowest quality at which they meet */
};

/* Compares two curves, whose points are sorted by their rates. The first is what the second is held
 * against. */
struct bd bd_of(const struct bd_point *first, size_t firsts, const struct bd_point *second,
                size_t seconds);

/* Returns the quality at a rate within a curve of sorted points, by PCHIP. */
double bd_quality(const struct bd_point *point, size_t count, double rate);

/* Finds the upper convex hull of points that are sorted, over the logarithm of the rate: those that
 * no mixture of others beats. Writes whether each is on it. */
void bd_hull(const struct bd_point *point, size_t count, bool *on);

#endif
