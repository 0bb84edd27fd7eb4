/* The page, section by section. Each function writes one, or nothing where it has nothing to say.
 */
#ifndef SSIMCU_QA_REPORT_PAGE_H
#define SSIMCU_QA_REPORT_PAGE_H

#include "report/collect.h"

#include <stdio.h>

struct page {
    FILE *to;
    const struct report *report;
    const struct report_facts *facts;
    struct report_frame **card; /* with pictures, the worst first */
    size_t cards;
    bool stopped;            /* while the pictures were made */
    const char *no_pictures; /* why there are none at all; NULL: there are */
};

/* page.c */
void page_write(const struct page *page);

/* page_top.c: the verdict and its reasons, and what was compared. */
void page_title(const struct page *page); /* in a word, for <title> */
void page_verdict(const struct page *page);
void page_facts(const struct page *page);

/* page_plot.c */
void page_plot(const struct page *page);

/* page_frames.c: frames with pictures. */
void page_frames(const struct page *page);

/* page_lists.c: shots, frames without score, the contact sheet, the table, and the numbers for the
 * script. */
void page_parts(const struct page *page);
void page_broken(const struct page *page);
void page_sheet(const struct page *page);
void page_table(const struct page *page);
void page_data(const struct page *page);

/* ---- What sections share (page.c) ------------------------------------------------------------ */

/* "failed", "missing", "below", "hinted" or "good". */
const char *page_state(const struct point *point);

/* Whether a frame is shown with pictures; the row of one that is in the table, or NULL. */
bool page_has_card(const struct page *page, const struct report_frame *frame);
const struct report_frame *page_row(const struct page *page, size_t at);

/* "#frame-N", where it is shown, or "#row-N". False where it is neither. */
enum { PAGE_ANCHOR = 32 };
bool page_anchor(const struct page *page, size_t at, char anchor[PAGE_ANCHOR]);

/* Frames of which `test` holds, as links: " 12, 90-93" (page_runs.c). */
typedef bool page_test(const struct point *point, unsigned what);
void page_runs(const struct page *page, page_test *test, unsigned what);
page_test page_has_fault, page_has_hint, page_is_kind; /* enum fault, kind, enum record_kind */

/* A frame's number, as a link where that leads anywhere. */
void page_frame(const struct page *page, int64_t frame);

/* A file's name, as a link where it is there. */
void page_file(const struct page *page, const char *path);

/* Its name alone, without folders. */
const char *page_base(const char *path);

/* What is wrong with a frame, in words. */
void page_reasons(const struct page *page, const struct report_frame *frame);

/* Hints, each as a label. */
void page_hints(const struct page *page, const char *hints);

#endif
