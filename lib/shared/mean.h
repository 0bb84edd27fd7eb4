/* Means of scores. It is for the project alone, and is a header because every room has means. */
#ifndef SSIMCU_MEAN_H
#define SSIMCU_MEAN_H

#include <float.h>

/* Returns the value of a metric. If it is not of frames that are all identical, it is below `best`,
 * however it was rounded. */
static inline double ssimcu_below(double value, double best, int all_are_identical)
{
    return value >= best && value <= DBL_MAX && !all_are_identical ? best * (1 - DBL_EPSILON / 2)
                                                                   : value;
}

/* Returns a mean of scores, which is 1 only if all are. */
static inline double ssimcu_mean_of(double mean, int all_are_1)
{
    return ssimcu_below(mean, 1, all_are_1);
}

#endif
