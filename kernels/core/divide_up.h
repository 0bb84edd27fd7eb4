/* Divisions that round up. C, for the cuts that tests look at, too. */
#ifndef SSIMCU_DIVIDE_UP_H
#define SSIMCU_DIVIDE_UP_H

#include <stdint.h>

/* Returns how many pieces of `by` it takes to hold `value`. */
static inline int64_t ssimcu_divide_up(int64_t value, int64_t by) { return (value + by - 1) / by; }

/* Returns a side of the next smaller scale of a pyramid, in which an odd last row or column counts
 * as one. */
static inline uint32_t ssimcu_half(uint32_t side) { return side / 2 + side % 2; }

#endif
