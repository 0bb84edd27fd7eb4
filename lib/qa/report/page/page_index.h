/* The page over the reports of several OUTs: a table and plots. Beside it lies the page on which
 * their frames can be laid over each other. What writes a page returns false if memory runs out. */
#ifndef SSIMCU_QA_REPORT_PAGE_INDEX_H
#define SSIMCU_QA_REPORT_PAGE_INDEX_H

#include "report/frames/pictures.h"
#include "report/html/model.h"
#include "report/page/page_view.h"

#include <stdio.h>

/* Writes the page, and one that says why a run came to no verdict. */
bool page_index(FILE *to, const struct index *index);
bool page_index_withdrawn(FILE *to, const char *why);

/* Sets quality over bit rate and how groups compare (page_rates.c), and the curves of all OUTs
 * (page_overlay.c). */
void page_rates(struct model page, const struct index *index);
void page_overlay(struct model page, const struct index *index);

/* Frames of several OUTs, and their pictures. */
struct sides {
    const struct index *index;
    const int64_t *frame; /* numbers of the frames, in order */
    size_t frames;
    struct picture *picture; /* of every frame of the first OUT, then of the next one */
    size_t ref;              /* OUT whose pictures of REF are shown */
};

/* Writes the page of them (page_sides.c). */
bool page_sides(FILE *to, const struct sides *sides);

#endif
