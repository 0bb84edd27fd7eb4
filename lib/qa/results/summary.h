/* The summary: what the scores of a run come to. */
#ifndef SSIMCU_QA_SUMMARY_H
#define SSIMCU_QA_SUMMARY_H

#include "results/record.h"

/* The lowest of what was scored, the worst first; of equal ones the earlier frame. */
struct ranking {
    struct ranked {
        int64_t frame;
        double score;
        struct record_tile tile;
        char *ref, *out; /* own */
    } * entry;
    uint32_t count, most;
};

/* What some scores come to. They are added up in the order of their frames, whatever the order in
 * which they came, so that any number of threads, shards or runs gives the same bits. Over n
 * scores s:
 *   mean          sum of s / n
 *   harmonic mean n / sum of 1/s; none when a score is 0 or below
 *   stddev        square root of the mean of (s - mean)^2
 *   p1, p5, p50   percentiles: the sorted scores at position (n - 1) * P / 100 counted from 0, and
 *                 between two of them on the straight line (what numpy.percentile gives) */
struct statistics {
    double mean, harmonic_mean, min, max, p1, p5, p50, stddev;
    bool has_harmonic_mean;
};

/* What a batch comes to. Every output of it comes from here. */
struct summary {
    /* input */
    size_t room;
    struct summary_score {
        int64_t frame;
        uint32_t part; /* of `part` below; UINT32_MAX: none */
        double score, channel[3];
    } * score;
    bool out_of_memory;
    struct ranking worst;       /* frames */
    struct ranking worst_tiles; /* of each frame the worst */
    const char *layout;         /* of every score; NULL: they differ */
    uint32_t channels;
    /* what they come to */
    uint64_t pairs, scored, missing, failed;
    struct statistics all; /* where scored > 0 */
    double channel[3];     /* means, where there is a layout */
    struct summary_part {  /* a directory or a shot, in the order of their first frames */
        char *name;        /* own */
        uint64_t pairs, scored, missing, failed;
        double sum, min;
        int64_t worst; /* frame of `min` */
    } * part;
    uint32_t parts;
    size_t parts_room;
    bool complete; /* nothing was cut short: set by the caller */
};

/* `worst`: how many frames and tiles to name. */
void summary_start(struct summary *summary, uint32_t worst);
void summary_add(struct summary *summary, const struct record *record);
/* Computes what the scores come to. False when memory ran out. */
bool summary_finish(struct summary *summary);
void summary_free(struct summary *summary);

#endif
