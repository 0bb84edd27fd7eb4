/* A pair's planes of floats at the scales below the first. Each scale is half of the one before:
 * the means of 2 x 2 samples. An odd last row or column is repeated. */
#ifndef SSIMCU_PYRAMID_H
#define SSIMCU_PYRAMID_H

#include "plan.h"

struct ssimcu_threads; /* threads.h */

/* Planes of height x width floats, without padding. */
struct ssimcu_pyramid_scale {
    uint32_t width, height, planes;
    float *plane[SSIMCU_PAIR][SSIMCU_MAX_CHANNELS];
};

/* Returns one side of a scale from that side of the scale before. */
static inline uint32_t ssimcu_pyramid_half(uint32_t side) { return side / 2 + side % 2; }

/* Returns how many floats all scales below one of this size have. */
size_t ssimcu_pyramid_floats(uint32_t width, uint32_t height, uint32_t planes, uint32_t scales);

/* Places scales 1 to `scales` - 1 in memory. scale[0] has the size and no planes. */
void ssimcu_pyramid_place(uint32_t width, uint32_t height, uint32_t planes, uint32_t scales,
                          float *memory, struct ssimcu_pyramid_scale *scale);

/* Fills in a scale from the one before. */
void ssimcu_pyramid_halve(const struct ssimcu_pyramid_scale *from, struct ssimcu_pyramid_scale *to,
                          struct ssimcu_threads *threads);

#endif
