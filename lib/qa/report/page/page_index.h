/* The page over the reports of several OUTs: a table and plots. */
#ifndef SSIMCU_QA_REPORT_PAGE_INDEX_H
#define SSIMCU_QA_REPORT_PAGE_INDEX_H

#include "report/page/page_view.h"

#include <stdio.h>

/* Writes the page. */
void page_index(FILE *to, const struct index *index);

/* Writes a page that says why a run came to no verdict. */
void page_index_withdrawn(FILE *to, const char *why);

/* Writes quality over bit rate, and how groups compare (page_rates.c). */
void page_rates(FILE *to, const struct index *index);

/* Writes the plots (page_overlay.c), and the line in which an OUT is drawn there. */
void page_overlay(FILE *to, const struct index *index);
void page_overlay_key(FILE *to, size_t out);

#endif
