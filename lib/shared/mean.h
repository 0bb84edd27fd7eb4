/* Means of scores. It is for the project alone, and is a header because every room has means. */
#ifndef SSIMCU_MEAN_H
#define SSIMCU_MEAN_H

#include <float.h>

/* Returns a mean of scores. If not every score is 1, rounding must not make it 1 or more: it then
 * becomes the largest number below 1. */
static inline double ssimcu_mean_of(double mean, int all_are_1)
{
    return mean >= 1 && mean <= DBL_MAX && !all_are_1 ? 1 - DBL_EPSILON / 2 : mean;
}

#endif
