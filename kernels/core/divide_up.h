/* How many pieces of `by` it takes to hold `value`. C, for the cuts that tests look at, too. */
#ifndef SSIMCU_DIVIDE_UP_H
#define SSIMCU_DIVIDE_UP_H

#include <stdint.h>

static inline int64_t ssimcu_divide_up(int64_t value, int64_t by) { return (value + by - 1) / by; }

#endif
