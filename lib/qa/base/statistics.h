/* Statistics of numbers, one for each frame. */
#pragma once

#include "ssimcu_qa_types.h"

#include <stdbool.h>
#include <stddef.h>

/* Statistics of scores. The sums run in the order of the frames, not in that of arrival. So any
 * number of threads, shards or runs gives the same bits. Over n scores s:
 *   mean          sum of s / n.
 *   harmonic mean n / sum of 1/s; undefined if a score is 0 or below.
 *   stddev        square root of the mean of (s - mean)^2.
 *   p1, p5, p50   percentiles: the sorted score at position (n - 1) * P / 100, counted from 0.
 *                 Between two scores they are interpolated, as in numpy.percentile.
 * Infinite scores, the PSNR of identical frames, count only for percentiles, min and max. If there
 * are no others, the means are infinite, too. */

/* Computes the statistics of n scores, at least one, in the order of their frames, and sorts them.
 * No mean and no percentile between two scores is `best`, which may be infinite, unless all scores
 * are. */
ssimcu_statistics statistics_of(double *score, size_t n, double best);

/* Compares two doubles, for qsort. */
int statistics_by_value(const void *a, const void *b);
