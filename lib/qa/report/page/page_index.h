/* The page over the reports of several OUTs: a table and plots. Next to it is the page that shows
 * their frames on top of each other. Functions that write a page return false if memory runs
 * out. */
#pragma once

#include "report/frames/pictures.h"
#include "report/html/model.h"
#include "report/page/page_view.h"

#include <stdio.h>

/* Write the page, and the page with the reason why a run has no verdict. */
bool page_index(FILE *to, const void *index);
bool page_index_withdrawn(FILE *to, const void *why); /* a text */

/* Set quality over bit rate and the comparison of groups (page_rates.c), and the curves of all OUTs
 * (page_overlay.c). */
void page_rates(struct model page, const struct index *index);
void page_overlay(struct model page, const struct index *index);

/* Frames of several OUTs, and their pictures. */
struct sides {
    const struct index *index;
    const int64_t *frame; /* numbers of the frames, in order */
    size_t frames;
    struct picture *picture; /* pictures of every frame of the first OUT, then of the next one */
    size_t ref;              /* the OUT whose pictures of REF are shown */
};

/* Writes the page of them (page_sides.c). */
bool page_sides(FILE *to, const void *sides);
