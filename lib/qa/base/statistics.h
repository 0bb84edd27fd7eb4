/* Statistics of numbers, one of each frame. */
#ifndef SSIMCU_QA_STATISTICS_H
#define SSIMCU_QA_STATISTICS_H

#include "ssimcu_qa_types.h"

#include <stdbool.h>
#include <stddef.h>

/* Statistics of scores. The sums run in the order of the frames, not in that of arrival. So any
 * number of threads, shards or runs gives the same bits. Over n scores s:
 *   mean          sum of s / n.
 *   harmonic mean n / sum of 1/s; none if a score is 0 or below.
 *   stddev        square root of the mean of (s - mean)^2.
 *   p1, p5, p50   percentiles: the sorted score at position (n - 1) * P / 100, counted from 0.
 *                 Between two scores they lie on the straight line, as in numpy.percentile.
 * Infinite scores, the PSNR of identical frames, count for percentiles, min and max alone. If there
 * are no others, the means are infinite as well. */

/* Computes the statistics of n scores, 1 or more, in the order of their frames, and sorts them. No
 * mean or percentile between two is `best`, which may be infinite, unless all scores are. */
ssimcu_statistics statistics_of(double *score, size_t n, double best);

/* Compares two doubles, for qsort. */
int statistics_by_value(const void *a, const void *b);

#endif
