/* Means of scores. For use inside the project only. It is a header because every module computes
 * means. */
#pragma once

#include <float.h>

/* Returns the value of a metric. Unless all frames are identical, it is below `best`, even after
 * rounding. */
static inline double ssimcu_below(double value, double best, int all_are_identical)
{
    return value >= best && value <= DBL_MAX && !all_are_identical ? best * (1 - DBL_EPSILON / 2)
                                                                   : value;
}

/* Returns a mean of scores, which is 1 only if all are 1. */
static inline double ssimcu_mean_of(double mean, int all_are_1)
{
    return ssimcu_below(mean, 1, all_are_1);
}
