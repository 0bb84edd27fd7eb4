/* Runs of frames: "12, 90–93", each a link. */
#include "facts/record.h"
#include "report/frames/report_frame.h"
#include "report/html/html.h"
#include "report/page/page.h"

enum { RUNS_NAMED = 10 };

/* Writes a run as a link to the worst of its frames that has a card, else to the first. */
static void put_run(const struct page *page, size_t first, size_t last)
{
    char name[TEXT_FRAME];
    size_t to = first;
    for (size_t i = page->cards; i-- > 0;)
        if (page->card[i]->at >= first && page->card[i]->at <= last) to = page->card[i]->at;
    const bool leads = page_link(page, to);
    html_text(page->to, page_name(page, first, name));
    if (last > first) html_print(page->to, "\xE2\x80\x93%s", page_name(page, last, name));
    if (leads) fputs("</a>", page->to);
}

void page_runs(const struct page *page, page_test *test, unsigned what)
{
    const struct report *report = page->report;
    size_t named = 0, others = 0, end;
    for (size_t at = 0; at < report->count; at = end) {
        const char *part = page_part(page, at); /* a run stays in it */
        end = at + 1;
        if (!test(&report->point[at], what)) continue;
        while (end < report->count && test(&report->point[end], what) &&
               page_part(page, end) == part)
            end++;
        if (named < RUNS_NAMED) {
            fputs(named++ > 0 ? ", " : " ", page->to);
            put_run(page, at, end - 1);
        } else {
            others += end - at;
        }
    }
    if (others > 0) fprintf(page->to, " and %zu more", others);
}

bool page_has_fault(const struct point *point, unsigned fault)
{
    return point->kind == RECORD_SCORED && point->faults >> fault & 1;
}

bool page_has_hint(const struct point *point, unsigned kind) { return point->hints >> kind & 1; }

bool page_is_kind(const struct point *point, unsigned kind) { return point->kind == kind; }
