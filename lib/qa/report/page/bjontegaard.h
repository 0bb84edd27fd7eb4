/* Bjontegaard's deltas between two encoders: the mean saving of bit rate at the same quality, and
 * the mean gain of quality at the same rate.
 *
 * G. Bjontegaard, VCEG-M33 (2001): the curves of two encoders are quality over the logarithm of the
 * rate. The result is their mean distance over their common range. M33 fits one cubic to the points
 * of each. Later documents (JCTVC-B055, VCEG-AL22) use piecewise cubics that pass through the
 * points and do not overshoot (PCHIP: Fritsch and Butland, SIAM J. Sci. Stat. Comput. 5, 1984).
 * Both are computed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { BD_POINTS = 64 }; /* most points of a curve */

/* One encode. */
struct bd_point {
    double rate;    /* bits per second, above 0 */
    double quality; /* a value of a metric; higher is better */
};

/* The reason why two curves have no deltas. */
enum bd_lack {
    BD_NONE,
    BD_FEW,  /* a curve has fewer than two points */
    BD_FALLS /* the quality of a curve does not rise with its rate */
};

struct bd {
    enum bd_lack lack; /* if not NONE, no other member is valid */
    /* By PCHIP: percent of rate at the same quality, below 0 if the second curve needs less, and
     * units of quality at the same rate. NAN: the curves have no common quality or rate. */
    double rate, quality;
    double rate_fit, quality_fit; /* by one cubic; also NAN if a curve has fewer than four points */
    double low, high;             /* common range of quality; valid unless `rate` is NAN */
    double share; /* its share of the range that the curves cover together, 0 to 1 */
    bool crosses; /* each curve needs less rate somewhere ... */
    double at;    /* ... and this is the lowest quality at which they meet */
};

/* Compares two curves with points sorted by rate. The first is the reference of the second. */
struct bd bd_of(const struct bd_point *first, size_t firsts, const struct bd_point *second,
                size_t seconds);

/* Returns the quality at a rate within the range of a curve of sorted points, by PCHIP. */
double bd_quality(const struct bd_point *point, size_t count, double rate);

/* Finds the upper convex hull of sorted points over the logarithm of the rate: those that no
 * mixture of others beats. Writes for each point whether it is on the hull. */
void bd_hull(const struct bd_point *point, size_t count, bool *on);
