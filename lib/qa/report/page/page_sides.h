/* The page on which frames of several OUTs can be laid over each other. */
#ifndef SSIMCU_QA_REPORT_PAGE_SIDES_H
#define SSIMCU_QA_REPORT_PAGE_SIDES_H

#include "report/frames/pictures.h"
#include "report/page/page_view.h"

#include <stdio.h>

struct sides {
    const struct index *index;
    const int64_t *frame; /* numbers of the frames, in order */
    size_t frames;
    struct picture *picture; /* of every frame of the first OUT, then of the next one */
    size_t ref;              /* OUT whose pictures of REF are shown */
};

void page_sides(FILE *to, const struct sides *sides);

#endif
