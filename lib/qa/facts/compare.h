/* How the samples of a layer are compared, if a rule of a file of limits says so. */
#ifndef SSIMCU_QA_COMPARE_H
#define SSIMCU_QA_COMPARE_H

#include <stdbool.h>

/* Nothing but zeros: no rule says anything. */
struct compare_rule {
    enum compare {
        COMPARE_BY_NAME, /* IDs exactly, all others by their values */
        COMPARE_EXACT,
        COMPARE_VALUES
    } as;
    bool has_range; /* data is compared within low to high */
    double low, high;
};

#endif
