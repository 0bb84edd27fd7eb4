/* Linear light on the host: the tables of core/curve.h, and counts of what float samples hold that
 * a curve cannot show. */
#ifndef SSIMCU_LIGHT_SCAN_H
#define SSIMCU_LIGHT_SCAN_H

#include "core/curve.h"
#include "core/light.h"

struct ssimcu_threads;

/* Makes the table of a rule whose light is on and has a curve, unless it is that already. */
void ssimcu_curve_make(struct ssimcu_curve *curve, const struct ssimcu_light_rule *light,
                       float unit);

/* Returns the factor from a sample to light. */
double ssimcu_curve_gain(const struct ssimcu_light_rule *light);

/* Returns the light, of which white has 1, that the rule's curve makes a code of. White's is 1. */
double ssimcu_curve_light(const struct ssimcu_light_rule *light, double code);

/* What rounding may add to a range of 0 to 1 at both ends. */
#define SSIMCU_LIGHT_ROUNDING 1e-5f

/* Returns the bounds of samples of a float type; for integers all are 0. Under no transfer nothing
 * is clamped unless the range is looked at. A sample counts as finite up to 65536 times the peak.
 */
struct ssimcu_light_bounds ssimcu_light_bounds(const struct ssimcu_light_rule *light,
                                               uint32_t type);

/* A frame of float samples in host memory, and how they are judged. Alpha is looked at if the rule
 * composites. */
struct ssimcu_light_frame {
    const struct ssimcu_samples *samples;
    const struct ssimcu_pixel_rule *rule;
    const struct ssimcu_light_bounds *bounds;
    uint32_t width, height;
};

/* Counts a part of the frame. */
struct ssimcu_light_counts ssimcu_light_count(const struct ssimcu_light_frame *frame, uint32_t x,
                                              uint32_t y, uint32_t width, uint32_t height);

/* Adds a part's counts to those of all, from any thread. */
void ssimcu_light_add(struct ssimcu_light_counts *all, const struct ssimcu_light_counts *own);

/* Counts all of the frame, on `threads` (NULL: the calling one). */
struct ssimcu_light_counts ssimcu_light_scan(const struct ssimcu_light_frame *frame,
                                             struct ssimcu_threads *threads);

#endif
