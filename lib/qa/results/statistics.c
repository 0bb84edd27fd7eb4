#include "results/statistics.h"

#include "mean.h"

#include <math.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Keeps a mean of scores that are at most 1 below 1, unless all of them are 1. */
static double below_1(double mean, bool at_most_1, bool all_are_1)
{
    return at_most_1 ? ssimcu_mean_of(mean, all_are_1) : mean;
}

static double percentile(const double *sorted, size_t count, double percent, bool at_most_1)
{
    const double position = (double)(count - 1) * percent / 100;
    const size_t below = (size_t)position;
    const double part = position - (double)below;
    if (part == 0 || sorted[below] == sorted[below + 1]) return sorted[below];
    const double value = sorted[below] + (sorted[below + 1] - sorted[below]) * part;
    return below_1(value, at_most_1, false);
}

/* Computes means over the finite scores, of which there are `n`. */
static void take_means(const double *score, size_t count, size_t n, struct statistics *all)
{
    double sum = 0, inverse = 0, square = 0;
    for (size_t i = 0; i < count; i++) {
        if (isinf(score[i])) continue;
        sum += score[i];
        inverse += 1 / score[i];
    }
    all->mean = n > 0 ? sum / (double)n : INFINITY;
    all->harmonic_mean = n > 0 ? (double)n / inverse : INFINITY;
    for (size_t i = 0; i < count; i++)
        if (!isinf(score[i])) square += (score[i] - all->mean) * (score[i] - all->mean);
    all->stddev = n > 0 ? sqrt(square / (double)n) : 0;
}

struct statistics statistics_of(double *score, size_t n, bool at_most_1)
{
    struct statistics all = {0};
    size_t finite = 0;
    for (size_t i = 0; i < n; i++) finite += !isinf(score[i]);
    take_means(score, n, finite, &all);
    qsort(score, n, sizeof *score, by_value);
    all.min = score[0];
    all.max = score[n - 1];
    all.mean = below_1(all.mean, at_most_1, all.min == 1);
    all.has_harmonic_mean = all.min > 0;
    all.harmonic_mean =
        all.has_harmonic_mean ? below_1(all.harmonic_mean, at_most_1, all.min == 1) : 0;
    all.p1 = percentile(score, n, 1, at_most_1);
    all.p5 = percentile(score, n, 5, at_most_1);
    all.p50 = percentile(score, n, 50, at_most_1);
    return all;
}
