/* Functions shared by the sections of the page. */
#include "report/page/page.h"

#include "record/record.h"
#include "report/frames/report_frame.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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
    return point->fails ? "below" : point->kinds ? "hinted" : "good";
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

/* Returns a frame's row in the table, or NULL. */
static const struct report_frame *find_row(const struct page *page, size_t at)
{
    const struct frame_list *rows = &page->report->rows;
    struct report_frame *const *row =
        bsearch(&at, rows->frame, rows->count, sizeof *rows->frame, compare_place);
    return row ? *row : NULL;
}

const char *page_part(const struct page *page, size_t at)
{
    const struct band *band = collect_band(page->report, at);
    return band ? band->shot : NULL;
}

const char *page_id(const struct page *page, size_t at, char id[PAGE_ID])
{
    if (page->report->bands > 0)
        snprintf(id, PAGE_ID, "at%zu", at);
    else
        snprintf(id, PAGE_ID, "%" PRId64, page->report->point[at].frame);
    return id;
}

const char *page_name(const struct report *report, size_t at, char name[TEXT_FRAME])
{
    const struct page page = {.report = report};
    return text_frame(name, page_part(&page, at), report->point[at].frame);
}

const char *page_anchor(const struct page *page, size_t at, char anchor[PAGE_ANCHOR])
{
    char id[PAGE_ID];
    const struct report_frame *row =
        page->report->count > 1 ? find_row(page, at) : NULL; /* a single frame has no table */
    for (size_t i = 0; i < page->cards && !row; i++)
        if (page->card[i]->at == at) row = page->card[i];
    anchor[0] = '\0';
    if (row)
        snprintf(anchor, PAGE_ANCHOR, "#%s-%s", page_has_card(page, row) ? "frame" : "row",
                 page_id(page, at, id));
    return anchor;
}

/* Finds the frame in a list, and its anchor. Returns false if there is none. */
static bool find_anchor(const struct page *page, struct report_frame *const *list, size_t count,
                        const struct record *wanted, char anchor[PAGE_ANCHOR])
{
    anchor[0] = '\0';
    for (size_t i = 0; i < count; i++)
        if (record_order(list[i]->record.shot, list[i]->record.frame, wanted->shot,
                         wanted->frame) == 0)
            return page_anchor(page, list[i]->at, anchor)[0] != '\0';
    return false;
}

void page_frame(struct model to, const struct page *page, const char *shot, int64_t frame)
{
    char name[TEXT_FRAME], anchor[PAGE_ANCHOR];
    const struct frame_list *rows = &page->report->rows;
    const struct record wanted = {.shot = (char *)(uintptr_t)shot, .frame = frame};
    if (!find_anchor(page, page->card, page->cards, &wanted, anchor))
        (void)find_anchor(page, rows->frame, rows->count, &wanted, anchor);
    model_texts(to, "name href", text_frame(name, shot, frame), anchor);
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

/* Adds a limit that the frame is beyond, in the words of the page. */
static void add_limit(struct model to, const struct report_frame *frame, int fault)
{
    const struct finding_row *row = finding_row(fault);
    const struct judged *judged = &frame->judged;
    char limit[VERDICT_LIMIT], text[VERDICT_BEYOND], before[HTML_VALUE];
    const struct model why = model_item(to, "why");
    if (row->of == FINDING_OF_LEARNED && !(judged->unjudged >> fault & 1)) {
        model_text(why, "text", "%s: %s", row->title,
                   verdict_beyond(text, judged, fault, &frame->record));
        return;
    }
    if (judged->unjudged >> fault & 1)
        model_text(why, "text", "%s, for", row->unjudged);
    else if (row->drop)
        model_text(why, "text", "%s dropped from %s by more than", row->title,
                   html_value(before, SSIMCU_METRIC_SSIM, limit_before(fault, &judged->baseline)));
    else
        model_text(why, "text", "%s %s", row->title, row->over ? "over" : "below");
    model_text(why, "code", "%s", verdict_limit_text(limit, &judged->own, fault));
}

void page_reasons(struct model to, const struct report_frame *frame)
{
    static const char *const missing[] = {"missing in OUT", "missing in REF",
                                          "missing in REF and OUT"};
    const struct record *record = &frame->record;
    const bool alone = frame->judged.own.alone;
    char line[FINDING_LINE];
    model_flag(to, "any_why", (record->kind != RECORD_SCORED && !alone) || frame->judged.fails);
    for (int i = 0; i < FINDING_FAIL_ON; i++)
        if (frame->judged.fails >> i & 1) add_limit(to, frame, i);
    for (size_t i = 0; i < record->findings.count; i++) {
        const struct finding *finding = &record->findings.at[i];
        if (finding->fails && finding->kind >= FINDING_MISSING &&
            (alone || !finding_row(finding->kind)->broken))
            model_text(model_item(to, "why"), "text", "%s", finding_line(line, finding));
    }
    if (alone) return;
    if (record->kind == RECORD_MISSING)
        model_text(model_item(to, "why"), "text", "%s",
                   missing[record->missing[0] + (record->missing[0] && record->missing[1])]);
    if (record->kind == RECORD_FAILED)
        model_text(model_item(to, "why"), "message", "%s", record->message.text);
}

void page_findings(struct model to, const char *name, const struct report_frame *frame)
{
    const struct findings *findings = &frame->record.findings;
    char line[FINDING_LINE];
    for (size_t i = 0; i < findings->count; i++) {
        const struct finding *finding = &findings->at[i];
        if (frame->judged.own.alone ? !finding->fails : finding->kind > FINDING_FAILED)
            model_list(to, name, "%s", finding_line(line, finding));
    }
}
