#include "base/statistics.h"

#include "mean.h"

#include <math.h>
#include <stdlib.h>

int statistics_by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double percentile(const double *sorted, size_t count, double percent, double best)
{
    const double position = (double)(count - 1) * percent / 100;
    const size_t below = (size_t)position;
    const double part = position - (double)below;
    if (part == 0 || sorted[below] == sorted[below + 1]) return sorted[below];
    const double value = sorted[below] + (sorted[below + 1] - sorted[below]) * part;
    return ssimcu_below(value, best, false);
}

/* Computes means over the finite scores, `n` in number. */
static void take_means(const double *score, size_t count, size_t n, ssimcu_statistics *all)
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

ssimcu_statistics statistics_of(double *score, size_t n, double best)
{
    ssimcu_statistics all = {0};
    size_t finite = 0;
    for (size_t i = 0; i < n; i++) finite += !isinf(score[i]);
    take_means(score, n, finite, &all);
    qsort(score, n, sizeof *score, statistics_by_value);
    all.min = score[0];
    all.max = score[n - 1];
    const bool all_are_best = all.min == best;
    all.mean = ssimcu_below(all.mean, best, all_are_best);
    all.has_harmonic_mean = all.min > 0;
    all.harmonic_mean =
        all.has_harmonic_mean ? ssimcu_below(all.harmonic_mean, best, all_are_best) : 0;
    all.p1 = percentile(score, n, 1, best);
    all.p5 = percentile(score, n, 5, best);
    all.p50 = percentile(score, n, 50, best);
    return all;
}
