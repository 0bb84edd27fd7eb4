/* The page of a run (run.html), section by section. Each function sets the values of one
 * section. */
#pragma once

#include "base/text.h"
#include "report/frames/collect.h"
#include "report/html/model.h"
#include "report/page/page_view.h"

#include <stdio.h>

struct page {
    const struct report *report;
    const struct report_facts *facts;
    const char *folder;         /* folder of the page, where links to frames begin */
    struct report_frame **card; /* frames with pictures, the worst first */
    size_t cards;
    struct picture *picture; /* owned; all pictures */
    bool stopped;            /* the caller stopped the pictures */
    const char *no_pictures; /* why there are no pictures; NULL: there are some */
};

/* Write a page; return false if memory runs out. The page of a run without a verdict has the
 * reason. It links to the pictures of the earlier report in the folder, so that they still belong
 * to the report. */
bool page_write(FILE *to, const void *page); /* a struct page */
struct page_withdrawn {
    const char *why, *folder;
};
bool page_write_withdrawn(FILE *to, const void *withdrawn); /* a struct page_withdrawn */

void page_verdict(struct model to, const struct page *page); /* and its reasons (page_reasons.c) */
void page_facts(struct model to, const struct page *page); /* inputs and settings (page_facts.c) */
void page_numbers(struct model to, const struct page *page); /* totals (page_numbers.c) */
void page_plot(struct model to, const struct page *page);    /* page_plot.c */
/* Sections of frames, with pictures or in a table (page_frames.c). */
void page_frames(struct model to, const struct page *page);
void page_sheet(struct model to, const struct page *page); /* the contact sheet (page_sheet.c) */

/* Replacements for frames without a reference: the verdict and its first reasons, numbers of all
 * frames, and shots (page_noref.c). */
void page_noref_verdict(struct model to, const struct page *page);
void page_noref_numbers(struct model to, const struct page *page);
void page_noref_shots(struct model to, const struct page *page);

/* Shots, the table, and the numbers for the script (page_lists.c). */
void page_parts(struct model to, const struct page *page);
void page_table(struct model to, const struct page *page);
void page_data(struct model to, const struct page *page);

/* ---- Shared by sections (page_common.c) ------------------------------------------------------ */

/* A result in the page's words: a class, words, and a sign that does not depend on colours. */
struct page_outcome {
    const char *name, *text, *sign;
};
struct page_outcome page_outcome(const struct verdict *verdict, bool share);

/* Returns "failed", "missing", "below", "hinted" or "good". */
const char *page_state(const struct point *point);

/* Returns whether a frame has a card with pictures. */
bool page_has_card(const struct page *page, const struct report_frame *frame);

/* Writes "#frame-N" if the frame has a card, else "#row-N", or "" if there is neither. Returns
 * `anchor`. */
enum { PAGE_ANCHOR = 40 };
const char *page_anchor(const struct page *page, size_t at, char anchor[PAGE_ANCHOR]);

/* Lists the metrics with a value, the report's first, and returns their number: at least SSIM. */
size_t page_metrics(const struct report *report, ssimcu_metric metric[SSIMCU_METRICS]);

/* Returns the shot of a frame by its place; may be NULL. */
const char *page_part(const struct page *page, size_t at);

/* Writes the suffix of "frame-" and "row-" in a frame's ids: its number, or "at" and its place if
 * the frames have shots. Returns `id`. */
enum { PAGE_ID = 24 };
const char *page_id(const struct page *page, size_t at, char id[PAGE_ID]);

/* Writes the name of a frame, "1046" or "sh030/1046", and returns `name`. */
const char *page_name(const struct report *report, size_t at, char name[TEXT_FRAME]);

/* Sets "name" to a frame's name, and "href" to its link, if any. */
void page_frame(struct model to, const struct page *page, const char *shot, int64_t frame);

/* Returns a file's name without folders. */
const char *page_base(const char *path);

/* Writes the share of its limit that a frame uses: "32.1", or "inf". Returns `text`. */
enum { PAGE_EXCESS = 16 };
const char *page_excess(char text[PAGE_EXCESS], double excess);

/* Sets "why" and "any_why": the faults of a frame in words. */
void page_reasons(struct model to, const struct report_frame *frame);

/* Adds each finding under this name: hints, and detectors' findings. Without a reference, only
 * those that do not fail. */
void page_findings(struct model to, const char *name, const struct report_frame *frame);
