/* What the sections of the page share. */
#include "report/page/page.h"

#include "base/text.h"
#include "facts/record.h"
#include "report/frames/report_frame.h"
#include "report/html/html.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAME = 600 }; /* bytes of a channel's full name: a part's and its own, 255 each */

struct page_outcome page_outcome(const struct verdict *verdict, bool share)
{
    if (share) return (struct page_outcome){"open", "Not judged", "\xE2\x80\xA6"};
    if (!verdict->passed) return (struct page_outcome){"failed", "Not passed", "\xE2\x9C\x95"};
    if (!verdict_any_limit(&verdict->limits))
        return (struct page_outcome){"open", "Scored", "\xE2\x80\xA2"};
    return (struct page_outcome){"passed", "Passed", "\xE2\x9C\x93"};
}

size_t page_metrics(const struct report *report, ssimcu_metric metric[SSIMCU_METRICS])
{
    const uint32_t metrics = report->metrics | 1u << SSIMCU_METRIC_SSIM | 1u << report->metric;
    size_t count = 0;
    metric[count++] = report->metric;
    for (int m = 0; m < SSIMCU_METRICS; m++)
        if (metrics >> m & 1 && m != (int)report->metric) metric[count++] = (ssimcu_metric)m;
    return count;
}

const char *page_state(const struct point *point)
{
    if (point->kind == RECORD_FAILED) return "failed";
    if (point->kind == RECORD_MISSING) return "missing";
    return point->faults ? "below" : point->hints ? "hinted" : "good";
}

bool page_has_card(const struct page *page, const struct report_frame *frame)
{
    for (size_t i = 0; i < page->cards; i++)
        if (page->card[i] == frame) return true;
    return false;
}

static int compare_place(const void *key, const void *element)
{
    const size_t at = *(const size_t *)key, other = (*(struct report_frame *const *)element)->at;
    return (at > other) - (at < other);
}

const struct report_frame *page_row(const struct page *page, size_t at)
{
    const struct frame_list *rows = &page->report->rows;
    struct report_frame *const *row =
        bsearch(&at, rows->frame, rows->count, sizeof *rows->frame, compare_place);
    return row ? *row : NULL;
}

const char *page_part(const struct page *page, size_t at)
{
    const struct report *report = page->report;
    size_t low = 0, high = report->bands; /* the band is the last that begins at `at` or before */
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (report->band[middle].first <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? report->band[low - 1].part : NULL;
}

const char *page_id(const struct page *page, size_t at, char id[PAGE_ID])
{
    if (page->report->bands > 0)
        snprintf(id, PAGE_ID, "at%zu", at);
    else
        snprintf(id, PAGE_ID, "%" PRId64, page->report->point[at].frame);
    return id;
}

const char *page_name(const struct page *page, size_t at, char name[TEXT_FRAME])
{
    return text_frame(name, page_part(page, at), page->report->point[at].frame);
}

bool page_anchor(const struct page *page, size_t at, char anchor[PAGE_ANCHOR])
{
    char id[PAGE_ID];
    const struct report_frame *row =
        page->report->count > 1 ? page_row(page, at) : NULL; /* a single frame has no table */
    for (size_t i = 0; i < page->cards && !row; i++)
        if (page->card[i]->at == at) row = page->card[i];
    if (!row) return false;
    snprintf(anchor, PAGE_ANCHOR, "#%s-%s", page_has_card(page, row) ? "frame" : "row",
             page_id(page, at, id));
    return true;
}

bool page_link(const struct page *page, size_t at)
{
    char anchor[PAGE_ANCHOR];
    const bool leads = page_anchor(page, at, anchor);
    if (leads) fprintf(page->to, "<a href=\"%s\">", anchor);
    return leads;
}

static bool link_in(const struct page *page, struct report_frame *const *list, size_t count,
                    const char *part, int64_t frame)
{
    for (size_t i = 0; i < count; i++)
        if (record_order(list[i]->record.part, list[i]->record.frame, part, frame) == 0)
            return page_link(page, list[i]->at);
    return false;
}

void page_frame(const struct page *page, const char *part, int64_t frame)
{
    char name[TEXT_FRAME];
    const struct frame_list *rows = &page->report->rows;
    const bool leads = link_in(page, page->card, page->cards, part, frame) ||
                       link_in(page, rows->frame, rows->count, part, frame);
    html_text(page->to, text_frame(name, part, frame));
    if (leads) fputs("</a>", page->to);
}

const char *page_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

const char *page_excess(char text[PAGE_EXCESS], double excess)
{
    snprintf(text, PAGE_EXCESS, excess < 10 ? "%.2f" : excess < 1e4 ? "%.1f" : "%.2g", excess);
    return text;
}

static void put_fault(const struct page *page, const struct report_frame *frame, int fault)
{
    const struct fault_row *row = faults_row(fault);
    const struct judged *judged = &frame->judged;
    char limit[VERDICT_LIMIT], beyond[VERDICT_BEYOND];
    if (fault == FAULT_HINT)
        html_print(page->to, "<li>%s", row->title);
    else if (judged->unjudged >> fault & 1)
        html_print(page->to, "<li>%s, for", row->unjudged);
    else if (row->of == FAULT_OF_FLOOR) {
        html_print(page->to, "<li>%s: %s</li>", row->title,
                   verdict_beyond(beyond, judged, fault, &frame->record));
        return;
    } else if (row->drop)
        html_print(page->to, "<li>%s dropped from %F by more than", row->title,
                   faults_before(fault, &judged->baseline));
    else
        html_print(page->to, "<li>%s %s", row->title, row->over ? "beyond" : "below");
    html_print(page->to, " <code>%s</code></li>", verdict_limit_text(limit, &judged->own, fault));
}

void page_reasons(const struct page *page, const struct report_frame *frame)
{
    const struct record *record = &frame->record;
    if (record->kind == RECORD_SCORED && !frame->judged.faults) return;
    fputs("<ul class=\"why\">", page->to);
    for (int i = 0; i < FAULT_MISSING; i++)
        if (frame->judged.faults >> i & 1) put_fault(page, frame, i);
    if (record->kind == RECORD_MISSING) {
        const bool both = record->missing[0] && record->missing[1];
        fprintf(page->to, "<li>missing in %s</li>",
                both                 ? "REF and OUT"
                : record->missing[0] ? "REF"
                                     : "OUT");
    }
    if (record->kind == RECORD_FAILED)
        html_print(page->to, "<li><bdi>%s</bdi></li>", record->message.text);
    fputs("</ul>", page->to);
}

void page_hints(const struct page *page, const char *hints)
{
    char copy[RECORD_HINTS_BYTES];
    snprintf(copy, sizeof copy, "%s", hints);
    for (char *at = copy, *end; at && *at; at = end) {
        end = strstr(at, "; ");
        if (end) *end = '\0', end += 2;
        html_print(page->to, "<span class=\"hint\">%s</span> ", at);
    }
}

/* Writes how much of linear light the scores ignore. */
static void put_clamped(const struct page *page)
{
    const struct verdict *verdict = page->facts->verdict;
    if (verdict->clamped == 0) return;
    fprintf(page->to,
            "<li>%" PRIu64 " frame%s more than %g %% of their pixels where the curve ends, up to "
            "%.1f %% in frame ",
            verdict->clamped, verdict->clamped == 1 ? " has" : "s have", 100 * RECORD_CLAMPED_MOST,
            100 * verdict->most_clamped);
    page_frame(page, verdict->clamped_part, verdict->clamped_frame);
    fputs(": what differs there does not count.</li>\n", page->to);
}

void page_uncounted(const struct page *page)
{
    const struct summary *summary = page->facts->summary;
    char name[MOST_NAME];
    put_clamped(page);
    if (!summary->left) return;
    fputs("<li>Not compared: ", page->to);
    for (const char *at = summary->left; *at;) {
        const size_t length = strcspn(at, "\n");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        html_name(page->to, name);
        at += length + (at[length] != '\0');
        fputs(*at ? ", " : "", page->to);
    }
    fputs(".</li>\n", page->to);
}
