/* The largest counts that options may have, in the program, in C and in Python. */
#pragma once

#include <stdint.h>

enum { COUNTS_SHARDS = 1 << 24, COUNTS_WORST = 1 << 20, COUNTS_PICTURES = 1000 };
#define COUNTS_BAD (UINT64_C(1) << 48)
#define COUNTS_PIXELS (UINT64_C(1) << 48)
#define COUNTS_BYTES (UINT64_C(1) << 60)
