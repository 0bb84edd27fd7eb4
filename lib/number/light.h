/* Linear light on the host: the tables of core/curve.h, and counts of float samples that a curve
 * cannot show. */
#pragma once

#include "core/curve.h"
#include "core/light.h"

struct ssimcu_threads;

/* Makes the table of a rule whose light is on and has a curve, unless it exists. */
void ssimcu_curve_make(struct ssimcu_curve *curve, const struct ssimcu_light_rule *light,
                       float unit);

/* Returns the factor from a sample to light. */
double ssimcu_curve_gain(const struct ssimcu_light_rule *light);

/* Returns the light of a code under the rule's curve. White is 1 in both. */
double ssimcu_curve_light(const struct ssimcu_light_rule *light, double code);

/* The amount by which rounding may exceed a range of 0 to 1. */
#define SSIMCU_LIGHT_ROUNDING 1e-5f

/* Returns the bounds of samples of a float type; for integers all are 0. Without a transfer nothing
 * counts as clamped, unless the range is checked. A sample counts as finite up to 65536 times the
 * peak.
 */
struct ssimcu_light_bounds ssimcu_light_bounds(const struct ssimcu_light_rule *light,
                                               uint32_t type);

/* A frame of float samples in host memory, and the rules for counting them. Alpha is checked if the
 * rule composites. */
struct ssimcu_light_frame {
    const struct ssimcu_samples *samples;
    const struct ssimcu_pixel_rule *rule;
    const struct ssimcu_light_bounds *bounds;
    uint32_t width, height;
};

/* Counts the samples of a part of the frame. */
struct ssimcu_light_counts ssimcu_light_count(const struct ssimcu_light_frame *frame, uint32_t x,
                                              uint32_t y, uint32_t width, uint32_t height);

/* Adds a part's counts to the total, from any thread. */
void ssimcu_light_add(struct ssimcu_light_counts *all, const struct ssimcu_light_counts *own);

/* Counts the samples of the whole frame, on `threads` (NULL: the calling thread). */
struct ssimcu_light_counts ssimcu_light_scan(const struct ssimcu_light_frame *frame,
                                             struct ssimcu_threads *threads);
