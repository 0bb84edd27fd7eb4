/* Divisions that round up. Plain C, because host code and its tests use them, too. */
#pragma once

#include <stdint.h>

/* Returns value / by, rounded up. */
static inline int64_t ssimcu_divide_up(int64_t value, int64_t by) { return (value + by - 1) / by; }

/* Returns the side of a pyramid's next smaller scale, where an odd last row or column counts as
 * one. */
static inline uint32_t ssimcu_half(uint32_t side) { return side / 2 + side % 2; }
