/* What float samples hold that a curve cannot show, on the host. */
#ifndef SSIMCU_LIGHT_SCAN_H
#define SSIMCU_LIGHT_SCAN_H

#include "core/light.h"

struct ssimcu_threads;

/* The bounds of samples of a float type; all 0 of integers. Under no transfer nothing is clamped,
 * and a sample counts as finite up to 65536 times the peak. */
struct ssimcu_light_bounds ssimcu_light_bounds(const struct ssimcu_light_rule *light,
                                               uint32_t type);

/* Counts one frame of float samples in host memory, on `threads` (NULL: the calling one). Alpha is
 * looked at where the rule composites. */
struct ssimcu_light_counts ssimcu_light_scan(const struct ssimcu_samples *samples,
                                             const struct ssimcu_pixel_rule *rule,
                                             const struct ssimcu_light_bounds *bounds,
                                             uint32_t width, uint32_t height,
                                             struct ssimcu_threads *threads);

#endif
