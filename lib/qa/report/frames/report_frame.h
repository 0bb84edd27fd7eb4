/* What is kept of a frame that the page shows. */
#ifndef SSIMCU_QA_REPORT_FRAME_H
#define SSIMCU_QA_REPORT_FRAME_H

#include "facts/record.h"
#include "verdict/verdict.h"

/* A frame that is kept as a whole. */
struct report_frame {
    struct record record;
    double value; /* value of the report's metric; without a score the lowest there is */
    struct judged judged;
    bool has_hints;
    bool begins;             /* it has a fault or a hint that the frame before lacks */
    size_t at;               /* index of its point */
    unsigned users;          /* number of lists that hold it */
    struct picture *picture; /* NULL: none was asked for */
};

#endif
