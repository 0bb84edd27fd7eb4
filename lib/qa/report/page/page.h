/* The page, section by section. Each function writes one section, or nothing if it would be
 * empty. */
#ifndef SSIMCU_QA_REPORT_PAGE_H
#define SSIMCU_QA_REPORT_PAGE_H

#include "base/text.h"
#include "report/frames/collect.h"
#include "report/page/page_view.h"

#include <stdio.h>

struct page {
    FILE *to;
    const struct report *report;
    const struct report_facts *facts;
    struct report_frame **card; /* frames with pictures, the worst first */
    size_t cards;
    bool stopped;            /* the caller has stopped the pictures */
    const char *no_pictures; /* why there are no pictures at all; NULL: there are some */
};

void page_write(const struct page *page);

/* Writes a page that says why a run came to no verdict. It links to the pictures of the earlier
 * report in the folder, by which they are known as the report's own. Returns false if memory runs
 * out. */
bool page_write_withdrawn(FILE *to, const char *why, const char *folder);

/* The verdict and its reasons, and what was compared (page_top.c). */
void page_title(const struct page *page); /* the verdict in a word, for <title> */
void page_verdict(const struct page *page);
void page_facts(const struct page *page);

/* The numbers of all frames together (page_numbers.c). */
void page_numbers(const struct page *page);

void page_plot(const struct page *page);

/* Calls `put` for each plot. If there are several, a button for each shows it. They need no script,
 * because the style shows the plot of the one that is checked. Their `id` ends in the plot's key
 * (page_plot.c). */
struct page_tab {
    const char *key, *title;
};
typedef void page_put_plot(FILE *to, const void *user, size_t at);
void page_plots(FILE *to, const char *name, const char *id, const struct page_tab tab[],
                size_t count, page_put_plot *put, const void *user);

/* Frames with pictures (page_frames.c). */
void page_frames(const struct page *page);

/* The contact sheet (page_sheet.c). */
void page_sheet(const struct page *page);

/* Shots, frames without score, the table, and the numbers for the script (page_lists.c). */
void page_parts(const struct page *page);
void page_broken(const struct page *page);
void page_table(const struct page *page);
void page_data(const struct page *page);

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

/* Writes "#frame-N" if the frame has a card, else "#row-N". Returns false if it has neither. */
enum { PAGE_ANCHOR = 40 };
bool page_anchor(const struct page *page, size_t at, char anchor[PAGE_ANCHOR]);

/* Begins such a link. Returns false if it leads nowhere: then there is none. */
bool page_link(const struct page *page, size_t at);

/* Lists the metrics of which there is a value, the report's first in front, and returns how many
 * there are: SSIM alone at least. */
size_t page_metrics(const struct report *report, ssimcu_metric metric[SSIMCU_METRICS]);

/* Fills in the tabs of these metrics. */
void page_tabs(const ssimcu_metric metric[], size_t count, struct page_tab tab[]);

/* Returns the part of a frame by its place; NULL: none. */
const char *page_part(const struct page *page, size_t at);

/* Writes what follows "frame-" and "row-" in a frame's ids: its number, or "at" and its place if
 * the frames have parts. Returns `id`. */
enum { PAGE_ID = 24 };
const char *page_id(const struct page *page, size_t at, char id[PAGE_ID]);

/* Writes how a frame is called, "1046" or "sh030/1046", and returns `name`. */
const char *page_name(const struct page *page, size_t at, char name[TEXT_FRAME]);

/* Writes a frame's name, as a link if that leads anywhere. */
void page_frame(const struct page *page, const char *part, int64_t frame);

/* Returns a file's name without folders. */
const char *page_base(const char *path);

/* Writes how much of its limit a frame uses up: "32.1", or "inf". Returns `text`. */
enum { PAGE_EXCESS = 16 };
const char *page_excess(char text[PAGE_EXCESS], double excess);

/* Writes in words what is wrong with a frame. */
void page_reasons(const struct page *page, const struct report_frame *frame);

/* Writes what the scores do not cover: clamped light, and channels that are not compared. */
void page_uncounted(const struct page *page);

/* Writes hints, each as a label. */
void page_hints(const struct page *page, const char *hints);

#endif
