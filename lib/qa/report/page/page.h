/* The page of a run (run.html), section by section. Each function sets what one section shows. */
#ifndef SSIMCU_QA_REPORT_PAGE_H
#define SSIMCU_QA_REPORT_PAGE_H

#include "base/text.h"
#include "report/frames/collect.h"
#include "report/html/model.h"
#include "report/page/page_view.h"

#include <stdio.h>

struct page {
    const struct report *report;
    const struct report_facts *facts;
    struct report_frame **card; /* frames with pictures, the worst first */
    size_t cards;
    bool stopped;            /* the caller has stopped the pictures */
    const char *no_pictures; /* why there are no pictures at all; NULL: there are some */
};

/* Write a page; return false if memory runs out. That of a run which came to no verdict says why.
 * It links to the pictures of the earlier report in the folder, by which they are known as the
 * report's own. */
bool page_write(FILE *to, const struct page *page);
bool page_write_withdrawn(FILE *to, const char *why, const char *folder);

void page_verdict(struct model to, const struct page *page); /* and its reasons (page_reasons.c) */
void page_facts(struct model to, const struct page *page);   /* what was compared (page_facts.c) */
void page_numbers(struct model to, const struct page *page); /* of all frames (page_numbers.c) */
void page_plot(struct model to, const struct page *page);    /* page_plot.c */
void page_frames(struct model to, const struct page *page);  /* with pictures (page_frames.c) */
void page_sheet(struct model to, const struct page *page);   /* the contact sheet (page_sheet.c) */

/* Shots, frames without score, the table, and the numbers for the script (page_lists.c). */
void page_parts(struct model to, const struct page *page);
void page_broken(struct model to, const struct page *page);
void page_table(struct model to, const struct page *page);
void page_data(struct model to, const struct page *page);

/* ---- What sections share (page_common.c) ----------------------------------------------------- */

/* A result in the page's words: a class, words, and a sign for readers who see no colours. */
struct page_outcome {
    const char *name, *text, *sign;
};
struct page_outcome page_outcome(const struct verdict *verdict, bool share);

/* Returns "failed", "missing", "below", "hinted" or "good". */
const char *page_state(const struct point *point);

/* Returns whether a frame has a card with pictures. page_row returns a frame's row in the table, or
 * NULL. */
bool page_has_card(const struct page *page, const struct report_frame *frame);
const struct report_frame *page_row(const struct page *page, size_t at);

/* Writes "#frame-N" if the frame has a card, else "#row-N", or "" if it has neither. Returns
 * `anchor`. */
enum { PAGE_ANCHOR = 40 };
const char *page_anchor(const struct page *page, size_t at, char anchor[PAGE_ANCHOR]);

/* Lists the metrics of which there is a value, the report's first in front, and returns how many
 * there are: SSIM alone at least. */
size_t page_metrics(const struct report *report, ssimcu_metric metric[SSIMCU_METRICS]);

/* Returns the part of a frame by its place; NULL: none. */
const char *page_part(const struct page *page, size_t at);

/* Writes what follows "frame-" and "row-" in a frame's ids: its number, or "at" and its place if
 * the frames have parts. Returns `id`. */
enum { PAGE_ID = 24 };
const char *page_id(const struct page *page, size_t at, char id[PAGE_ID]);

/* Writes how a frame is called, "1046" or "sh030/1046", and returns `name`. */
const char *page_name(const struct report *report, size_t at, char name[TEXT_FRAME]);

/* Sets "name" to a frame's name, and "href" to where it leads, if it leads anywhere. */
void page_frame(struct model to, const struct page *page, const char *part, int64_t frame);

/* Returns a file's name without folders. */
const char *page_base(const char *path);

/* Writes how much of its limit a frame uses up: "32.1", or "inf". Returns `text`. */
enum { PAGE_EXCESS = 16 };
const char *page_excess(char text[PAGE_EXCESS], double excess);

/* Sets "why" and "any_why": in words what is wrong with a frame. */
void page_reasons(struct model to, const struct report_frame *frame);

/* Sets "hints", each for itself, under this name. */
void page_hints(struct model to, const char *name, const char *hints);

#endif
