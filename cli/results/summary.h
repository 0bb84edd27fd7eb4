/* The scores of a batch -> what they come to. Every output of it comes from here.
 *
 * Scores are added up in the order of their frames, whatever the order in which they came, so that
 * any number of threads, shards or runs gives the same bits. Over n scores s:
 *   mean          sum of s / n
 *   harmonic mean n / sum of 1/s; none when a score is 0 or below
 *   stddev        square root of the mean of (s - mean)^2
 *   p1, p5, p50   percentiles: the sorted scores at position (n - 1) * P / 100 counted from 0, and
 *                 between two of them on the straight line (what numpy.percentile gives)
 *   worst         the lowest scores, of equal ones the earlier frame first
 */
#ifndef SSIMCU_CLI_SUMMARY_H
#define SSIMCU_CLI_SUMMARY_H

#include "results/record.h"

struct summary_worst {
    int64_t frame;
    double score;
    char *ref, *out; /* own */
};

struct summary {
    /* input */
    size_t room;
    struct summary_score {
        int64_t frame;
        double score;
    } * score;
    struct summary_worst *worst; /* sorted */
    uint32_t worst_count, worst_most;
    bool out_of_memory;
    /* what they come to */
    uint64_t frames, scored, missing, failed;
    double mean, harmonic_mean, min, max, p1, p5, p50, stddev; /* where scored > 0 */
    bool has_harmonic_mean;
    bool complete; /* nothing was cut short: set by the caller */
};

/* `worst`: how many frames to name. */
void summary_start(struct summary *summary, uint32_t worst);
void summary_add(struct summary *summary, const struct record *record);
/* Computes what the scores come to. False when memory ran out. */
bool summary_finish(struct summary *summary);
void summary_free(struct summary *summary);

/* How many scores are below `limit`. */
uint64_t summary_below(const struct summary *summary, double limit);

/* The last line of JSON Lines; free it. NULL when memory runs out. */
char *summary_to_json(const struct summary *summary);

/* The same for a person, on stderr. */
void summary_print(const struct summary *summary);

#endif
