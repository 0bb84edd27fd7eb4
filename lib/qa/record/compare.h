/* How to compare the samples of a layer, if a rule of a limits file sets it. */
#pragma once

#include <stdbool.h>

/* All zeros: no rule applies. */
struct compare_rule {
    enum compare {
        COMPARE_BY_NAME, /* IDs exactly, all others by their values */
        COMPARE_EXACT,
        COMPARE_VALUES
    } as;
    bool has_range; /* compare data within low to high */
    double low, high;
};
