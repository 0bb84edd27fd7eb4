/* The verdict, and its reasons. */
#include "report/page/page.h"

#include "record/record.h"
#include "report/frames/report_frame.h"
#include <inttypes.h>
#include <string.h>

enum {
    RUNS_NAMED = 10,
    MOST_NAME = 600 /* bytes of a channel's full name: those of shot and channel, 255 each */
};

static const char *input_text(const struct page *page, const char *name)
{
    return json_string_value(json_object_get(page->facts->header->input, name));
}

/* ---- Frames ---------------------------------------------------------------------------------- */

/* Adds a run as a link to its worst frame with a card, else to the first frame. */
static void add_run(struct model to, const struct page *page, size_t first, size_t last,
                    const char *before)
{
    char name[TEXT_FRAME], end[TEXT_FRAME], anchor[PAGE_ANCHOR];
    size_t at = first;
    const struct model run = model_item(to, "runs");
    for (size_t i = page->cards; i-- > 0;)
        if (page->card[i]->at >= first && page->card[i]->at <= last) at = page->card[i]->at;
    model_texts(run, "before href", before, page_anchor(page, at, anchor));
    model_text(run, "name", "%s%s%s", page_name(page->report, first, name),
               last > first ? "\xE2\x80\x93" : "",
               last > first ? page_name(page->report, last, end) : "");
}

/* Links the frames that pass `test`: " 12, 90-93". */
typedef bool page_test(const struct point *point, unsigned what);
static void add_runs(struct model to, const struct page *page, page_test *test, unsigned what)
{
    const struct report *report = page->report;
    size_t named = 0, others = 0, end;
    for (size_t at = 0; at < report->count; at = end) {
        const char *shot = page_part(page, at); /* a run stays in one shot */
        end = at + 1;
        if (!test(&report->point[at], what)) continue;
        while (end < report->count && test(&report->point[end], what) &&
               page_part(page, end) == shot)
            end++;
        if (named < RUNS_NAMED)
            add_run(to, page, at, end - 1, named++ > 0 ? ", " : " ");
        else
            others += end - at;
    }
    if (others > 0) model_number(to, "others", others);
}

/* Tests by an enum finding_kind, a kind of hints and a ssimcu_record_kind. */
static bool has_fault(const struct point *point, unsigned fault)
{
    return point->kind == RECORD_SCORED && point->fails >> fault & 1;
}

static bool has_kind(const struct point *point, unsigned kind) { return point->kinds >> kind & 1; }

static bool is_kind(const struct point *point, unsigned kind) { return point->kind == kind; }

/* ---- Reasons --------------------------------------------------------------------------------- */

static void add_fault(struct model to, const struct page *page, int fault)
{
    const struct finding_row *row = finding_row(fault);
    const struct verdict *verdict = page->facts->verdict;
    const bool pair = page->facts->pair;
    char limit[VERDICT_LIMIT], unjudged[200] = "";
    if (verdict->count[fault] == 0) return;
    const struct model reason = model_item(to, "reasons");
    (void)verdict_limit_name(limit, &verdict->limits, fault);
    model_text(reason, "code", "%s", limit);
    if (verdict->unjudged[fault] > 0)
        snprintf(unjudged, sizeof unjudged, "; %" PRIu64 " of them %s", verdict->unjudged[fault],
                 row->unjudged);
    model_text(reason, "tail", "%s%s", unjudged, pair ? "." : "");
    if (pair) {
        model_text(reason, "text", "%s", row->pair);
        return;
    }
    model_text(reason, "text", "%" PRIu64 " of %" PRIu64 " frames %s", verdict->count[fault],
               page->facts->summary->scored, row->frames);
    model_text(reason, "after", ":");
    add_runs(reason, page, has_fault, fault);
}

/* Adds the number of frames that fail by a finding of this kind. */
static void add_found(struct model to, const struct page *page, int kind)
{
    const struct verdict *verdict = page->facts->verdict;
    const uint64_t frames = page->facts->summary->pairs;
    if (verdict->count[kind] == 0) return;
    const struct model reason = model_item(to, "reasons");
    model_text(reason, "code", "%s", finding_row(kind)->name);
    model_text(reason, "tail", " (%s)%s", finding_row(kind)->meaning, page->facts->pair ? "." : "");
    if (page->facts->pair) {
        model_text(reason, "text", "The pair fails on");
        return;
    }
    model_text(reason, "text", "%" PRIu64 " of %" PRIu64 " frames fail%s on", verdict->count[kind],
               frames, verdict->count[kind] == 1 ? "s" : "");
    model_text(reason, "after", ":");
    add_runs(reason, page, has_kind, (unsigned)kind);
}

/* Adds the number of frames without a score, and their names. */
static void add_broken(struct model to, const struct page *page, uint64_t count, const char *what,
                       ssimcu_record_kind kind)
{
    if (count == 0) return;
    const struct model reason = model_item(to, "reasons");
    model_text(reason, "section", "broken");
    model_text(reason, "text", "%" PRIu64 " frame%s %s", count, text_plural(count), what);
    model_text(reason, "after", ":");
    add_runs(reason, page, is_kind, kind);
}

static void add_limit(struct model reason, const char **before, const char *limit)
{
    const struct model to = model_item(reason, "limits");
    model_texts(to, "before limit", *before, limit);
    *before = ", ";
}

/* Lists the limits that were set. */
static void set_limits(struct model reason, const struct limits *limits)
{
    const char *before = " Limits: ";
    char limit[VERDICT_LIMIT];
    for (int m = 0; m < SSIMCU_METRICS; m++)
        if (limits->has_score >> m & 1)
            add_limit(reason, &before, verdict_score_text(limit, limits, m));
    for (int i = 0; i < FINDING_MISSING; i++)
        if (limits_has(limits, i)) add_limit(reason, &before, verdict_limit_text(limit, limits, i));
    if (limits->file) {
        snprintf(limit, sizeof limit, "--limits %.300s", limits->file->path);
        add_limit(reason, &before, limit);
    }
    model_text(reason, "tail", before[0] == ',' ? "." : " No limit was set.");
}

static void add_good(struct model to, const struct page *page)
{
    const struct verdict *verdict = page->facts->verdict;
    const uint64_t missing = page->facts->summary->missing;
    const struct model scored = model_item(to, "reasons");
    model_text(scored, "text", "%s",
               page->facts->pair ? "The pair was scored."
               : missing > 0     ? "Every frame that exists was scored."
                                 : "Every frame was scored.");
    set_limits(scored, &verdict->limits);
    add_broken(to, page, missing,
               missing == 1 ? "is missing, which is allowed" : "are missing, which is allowed",
               RECORD_MISSING);
    if (verdict->bad == 0) return;
    const struct model allowed = model_item(to, "reasons");
    model_text(allowed, "text", "%" PRIu64 " frame%s over a limit, which", verdict->bad,
               verdict->bad == 1 ? " is" : "s are");
    model_texts(allowed, "code tail", "--max-bad", " allows.");
    for (int i = 0; i < FINDING_FAIL_ON; i++) add_fault(to, page, i);
}

/* Adds that the run's score of a metric is below its limit. */
static void add_mean_fault(struct model to, const struct page *page, ssimcu_metric metric)
{
    const struct summary_metric *result = &page->facts->summary->numbers.metrics[metric];
    const bool ssim = metric == SSIMCU_METRIC_SSIM, pair = page->facts->pair;
    char limit[VERDICT_LIMIT], text[HTML_VALUE];
    const struct model reason = model_item(to, "reasons");
    model_text(reason, "text", "The %s%s%s%s%s", ssim || pair ? "" : "mean ",
               !ssim  ? metrics_title(metric)
               : pair ? "score"
                      : "mean",
               result->scored > 0 ? ", " : " is unknown for every frame, but the limit is",
               result->scored > 0 ? html_value(text, metric, result->score) : "",
               result->scored > 0 ? ", is below" : "");
    model_texts(reason, "code tail",
                verdict_score_text(limit, &page->facts->verdict->limits, metric), ".");
}

static void add_reasons(struct model to, const struct page *page)
{
    const struct verdict *verdict = page->facts->verdict;
    if (verdict->nothing_scored)
        model_text(model_item(to, "reasons"), "text", "No frame could be scored.");
    if (verdict->incomplete)
        model_text(model_item(to, "reasons"), "text",
                   "The run was interrupted: frames are missing from the results.");
    add_broken(to, page, verdict->count[FINDING_FAILED], "could not be scored", RECORD_FAILED);
    add_broken(to, page, verdict->count[FINDING_MISSING],
               verdict->count[FINDING_MISSING] == 1 ? "is missing" : "are missing", RECORD_MISSING);
    for (int m = 0; m < SSIMCU_METRICS; m++)
        if (verdict->low_mean >> m & 1) add_mean_fault(to, page, m);
    for (int i = 0; i < FINDING_FAIL_ON && verdict->too_many; i++) add_fault(to, page, i);
    for (int i = FINDING_FAILED + 1; i < FINDING_KINDS && verdict->too_many; i++)
        add_found(to, page, i);
    if (!verdict->unlimited) return;
    const struct model reason = model_item(to, "reasons");
    model_texts(reason, "text code tail", "No frame has a limit in", verdict->limits.file->path,
                ".");
}

/* ---- Findings, and data that does not count -------------------------------------------------- */

/* Adds the meaning of the findings, and the frames that have them. */
static void set_findings(struct model to, const struct page *page)
{
    const struct report *report = page->report;
    finding_mask any = 0, fail = 0;
    for (size_t i = 0; i < report->count; i++) {
        any |= report->point[i].kinds;
        fail |= report->point[i].fails;
    }
    if (report->alone) any &= ~fail; /* the rest are reasons */
    model_flag(to, "hinted", any != 0);
    if (page->facts->pair && any != 0 && report->worst.count > 0)
        page_findings(to, "pair_hints", report->worst.frame[0]);
    for (int kind = FINDING_MISSING; kind < FINDING_KINDS && !page->facts->pair; kind++) {
        if (!(any >> kind & 1)) continue;
        const struct model hint = model_item(to, "kinds");
        model_texts(hint, "meaning kind", finding_row(kind)->meaning, finding_row(kind)->name);
        model_text(hint, "tail", any >> kind > 1 ? "; " : "");
        add_runs(hint, page, has_kind, (unsigned)kind);
    }
}

/* Adds the data that the scores do not cover: clamped light, and channels that are not compared. */
static void set_uncounted(struct model to, const struct page *page)
{
    const struct verdict *verdict = page->facts->verdict;
    const char *at = page->facts->summary->left;
    if (verdict->clamped > 0) {
        const struct model clamped = model_in(to, "clamped");
        model_text(clamped, "text",
                   "%" PRIu64 " frame%s more than %g %% of their pixels at an end of the curve, up "
                   "to %.1f %% in frame ",
                   verdict->clamped, verdict->clamped == 1 ? " has" : "s have",
                   100 * RECORD_CLAMPED_MOST, 100 * verdict->most_clamped);
        page_frame(clamped, page, verdict->clamped_shot, verdict->clamped_frame);
    }
    model_flag(to, "any_left", at != NULL);
    for (const char *before = ""; at && *at; before = ", ") {
        const size_t length = strcspn(at, "\n");
        const struct model left = model_item(to, "left");
        model_text(left, "before", "%s", before);
        model_text(left, "left", "%.*s", (int)(length < MOST_NAME ? length : MOST_NAME - 1), at);
        at += length + (at[length] != '\0');
    }
}

/* ---- The top --------------------------------------------------------------------------------- */

/* Returns the judged input: OUT, by its label if it has one, or the list. */
static const char *subject(const struct page *page)
{
    const char *list = input_text(page, "list"), *out = input_text(page, "out"),
               *label = input_text(page, "label");
    if (list) return page_base(list);
    if (label) return label;
    return out && input_text(page, "ref") ? page_base(out) : "Results";
}

void page_verdict(struct model to, const struct page *page)
{
    const struct verdict *verdict = page->facts->verdict;
    const bool share = page->facts->share;
    if (page->report->alone) {
        page_noref_verdict(to, page);
        for (int kind = FINDING_MISSING; kind < FINDING_KINDS; kind++) add_found(to, page, kind);
        set_findings(to, page);
        set_uncounted(to, page);
        return;
    }
    const struct page_outcome outcome = page_outcome(verdict, share);
    const char *ref = input_text(page, "ref");
    const bool against = !input_text(page, "list") && input_text(page, "out") && ref;
    model_text(to, "title", "%s: %s", outcome.text, subject(page));
    model_texts(to, "outcome sign verdict subject against", outcome.name, outcome.sign,
                outcome.text, subject(page), against ? page_base(ref) : "");
    if (share)
        model_text(model_item(to, "reasons"), "text",
                   "These are frames of a share; the merge judges.");
    if (share || !verdict->passed) add_reasons(to, page);
    if (!share && verdict->passed) add_good(to, page);
    set_findings(to, page);
    set_uncounted(to, page);
}
