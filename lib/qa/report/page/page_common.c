/* What the sections of the page share. */
#include "report/page/page.h"

#include "report/folder.h"
#include "report/page/html.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *page_state(const struct point *point)
{
    if (point->kind == RECORD_FAILED) return "failed";
    if (point->kind == RECORD_MISSING) return "missing";
    return point->faults ? "below" : point->hints ? "hinted" : "good";
}

bool page_is_shown(const struct page *page, const struct kept *kept)
{
    for (size_t i = 0; i < page->shown_count; i++)
        if (page->shown[i] == kept) return true;
    return false;
}

static int compare_place(const void *key, const void *element)
{
    const size_t at = *(const size_t *)key, other = (*(struct kept *const *)element)->at;
    return (at > other) - (at < other);
}

const struct kept *page_row(const struct page *page, size_t at)
{
    const struct kept_list *rows = &page->report->rows;
    struct kept *const *found =
        bsearch(&at, rows->entry, rows->count, sizeof *rows->entry, compare_place);
    return found ? *found : NULL;
}

bool page_anchor(const struct page *page, size_t at, char anchor[PAGE_ANCHOR])
{
    const struct kept *row = page->report->count > 1 ? page_row(page, at) : NULL; /* no table */
    for (size_t i = 0; i < page->shown_count && !row; i++)
        if (page->shown[i]->at == at) row = page->shown[i];
    if (!row) return false;
    snprintf(anchor, PAGE_ANCHOR, "#%s-%" PRId64, page_is_shown(page, row) ? "frame" : "row",
             row->record.frame);
    return true;
}

void page_frame(const struct page *page, int64_t frame)
{
    char anchor[PAGE_ANCHOR] = "";
    const struct kept_list *rows = &page->report->rows;
    for (size_t i = 0; i < page->shown_count && !anchor[0]; i++)
        if (page->shown[i]->record.frame == frame)
            (void)page_anchor(page, page->shown[i]->at, anchor);
    for (size_t i = 0; i < rows->count && !anchor[0]; i++)
        if (rows->entry[i]->record.frame == frame)
            (void)page_anchor(page, rows->entry[i]->at, anchor);
    if (anchor[0])
        fprintf(page->to, "<a href=\"%s\">%" PRId64 "</a>", anchor, frame);
    else
        fprintf(page->to, "%" PRId64, frame);
}

const char *page_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

void page_file(const struct page *page, const char *path)
{
    char *way = folder_way(page->report->directory, path);
    if (way) {
        fputs("<a href=\"", page->to);
        html_link(page->to, way);
        fputs("\">", page->to);
    }
    html_name(page->to, path);
    if (way) fputs("</a>", page->to);
    free(way);
}

static void put_fault(const struct page *page, const struct kept *kept, enum fault fault)
{
    static const char *const options[] = {"--min-frame", "--min-tile", "--max-drop"};
    const double limit = verdict_limit(page->facts->verdict, fault);
    if (fault == FAULT_DROP) {
        fputs("<li>dropped from ", page->to);
        html_score(page->to, kept->baseline);
        fputs(" by more than ", page->to);
    } else {
        fprintf(page->to, "<li>%s below ", fault == FAULT_TILE ? "worst tile" : "score");
    }
    fprintf(page->to, "<code>%s %.9g</code></li>", options[fault], limit);
}

void page_reasons(const struct page *page, const struct kept *kept)
{
    const struct record *record = &kept->record;
    if (record->kind == RECORD_SCORED && !kept->faults) return;
    fputs("<ul class=\"why\">", page->to);
    for (int i = 0; i < FAULT_MISSING; i++)
        if (kept->faults >> i & 1) put_fault(page, kept, (enum fault)i);
    if (record->kind == RECORD_MISSING) {
        const bool both = record->missing[0] && record->missing[1];
        fprintf(page->to, "<li>missing in %s</li>",
                both                 ? "REF and OUT"
                : record->missing[0] ? "REF"
                                     : "OUT");
    }
    if (record->kind == RECORD_FAILED) {
        fputs("<li>", page->to);
        html_name(page->to, record->message.text);
        fputs("</li>", page->to);
    }
    fputs("</ul>", page->to);
}

void page_hints(const struct page *page, const char *hints)
{
    char copy[RECORD_HINTS_BYTES];
    snprintf(copy, sizeof copy, "%s", hints);
    for (char *at = copy, *end; at && *at; at = end) {
        end = strstr(at, "; ");
        if (end) *end = '\0', end += 2;
        fputs("<span class=\"hint\">", page->to);
        html_text(page->to, at);
        fputs("</span> ", page->to);
    }
}
