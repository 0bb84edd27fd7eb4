/* Quality over bit rate: the points of OUTs and of their groups, and the comparison of two
 * groups. */
#pragma once

#include "report/page/bjontegaard.h"
#include "report/page/page_view.h"

/* OUTs with a known bit rate and quality, sorted by the rate. */
struct rate_curve {
    struct bd_point point[BD_POINTS];
    size_t out[BD_POINTS]; /* index of the OUT */
    size_t count;
};

/* Collects the OUTs of a group, from 1; 0: all OUTs. */
void rates_collect(const struct index *index, ssimcu_metric metric, unsigned group,
                   struct rate_curve *curve);

/* Returns the metrics for which any OUT has a value. */
uint32_t rates_metrics(const struct index *index);

/* Writes all metrics in display order: the run's first, then the others. */
void rates_order(const struct index *index, ssimcu_metric order[SSIMCU_METRICS]);

/* Compares a group with the first. */
struct bd rates_compare(const struct index *index, ssimcu_metric metric, unsigned group);

/* Writes a note for readers of the deltas: why there are none, that the curves cross, or that they
 * have little in common. "": no note. Returns `text`. */
enum { RATES_NOTE = 240 };
const char *rates_note(const struct bd *bd, ssimcu_metric metric, char text[RATES_NOTE]);
