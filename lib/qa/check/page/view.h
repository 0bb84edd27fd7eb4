/* What the page of a check shows (check.html). */
#ifndef SSIMCU_QA_CHECK_PAGE_VIEW_H
#define SSIMCU_QA_CHECK_PAGE_VIEW_H

#include "check/page/collect.h"
#include "report/html/model.h"

struct view {
    const struct collected *all;
    const char *folder; /* the folder beside its place, from which links lead to frames */
};

/* The verdict, what it is of, and what it comes to (view_top.c). */
void view_top(struct model page, const struct view *view);

/* Findings that fail, and the others (view_findings.c). */
void view_findings(struct model page, const struct view *view);

/* A row for each sequence (view_sequences.c). */
void view_sequences(struct model page, const struct collected *all);

#endif
