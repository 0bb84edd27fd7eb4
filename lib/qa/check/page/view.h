/* The page of a check, section by section. Each function writes one section, or nothing if it would
 * be empty. */
#ifndef SSIMCU_QA_CHECK_PAGE_VIEW_H
#define SSIMCU_QA_CHECK_PAGE_VIEW_H

#include "check/page/collect.h"

#include <stdio.h>

struct view {
    FILE *to;
    const struct collected *all;
    const char *folder; /* the folder beside its place, from which links lead to frames */
};

/* The verdict, what it is of, and what it comes to (view_top.c). */
void view_title(const struct view *view);
void view_verdict(const struct view *view);
void view_facts(const struct view *view);

/* Findings that fail, or the others (view_findings.c). */
void view_findings(const struct view *view, bool fail);

/* A row for each sequence (view_sequences.c). */
void view_sequences(const struct view *view);

#endif
