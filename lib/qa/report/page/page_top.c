/* The top of the page: verdict, reasons, what was compared, when and where. */
#include "base/json.h"
#include "report/html/html.h"
#include "report/page/page.h"

#include "facts/record.h"
#include "report/frames/report_frame.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *input_text(const struct page *page, const char *name)
{
    return json_string_value(json_object_get(page->facts->header->input, name));
}

/* ---- Reasons --------------------------------------------------------------------------------- */

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

/* Links the frames that pass `test`: " 12, 90-93". */
typedef bool page_test(const struct point *point, unsigned what);
static void put_runs(const struct page *page, page_test *test, unsigned what)
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

/* Tests, by an enum fault, a kind of hints and a ssimcu_record_kind. */
static bool has_fault(const struct point *point, unsigned fault)
{
    return point->kind == RECORD_SCORED && point->faults >> fault & 1;
}

static bool has_hint(const struct point *point, unsigned kind) { return point->hints >> kind & 1; }

static bool is_kind(const struct point *point, unsigned kind) { return point->kind == kind; }

static void put_fault(const struct page *page, int fault)
{
    const struct fault_row *row = faults_row(fault);
    char limit[VERDICT_LIMIT];
    const struct verdict *verdict = page->facts->verdict;
    if (verdict->count[fault] == 0) return;
    (void)verdict_limit_name(limit, &verdict->limits, fault);
    if (page->facts->pair) {
        html_print(page->to, "<li>%s <code>%s</code>", row->pair, limit);
    } else {
        html_print(page->to, "<li>%" PRIu64 " of %" PRIu64 " frames %s <code>%s</code>:",
                   verdict->count[fault], page->facts->summary->scored, row->frames, limit);
        put_runs(page, has_fault, fault);
    }
    if (verdict->unjudged[fault] > 0)
        fprintf(page->to, "; %" PRIu64 " of them %s", verdict->unjudged[fault], row->unjudged);
    fputs(page->facts->pair ? ".</li>\n" : "</li>\n", page->to);
}

/* Writes how many frames have no score, and which. */
static void put_broken(const struct page *page, uint64_t count, const char *what,
                       ssimcu_record_kind kind)
{
    if (count == 0) return;
    fprintf(page->to, "<li><a href=\"#broken\">%" PRIu64 " frame%s %s</a>:", count,
            count == 1 ? "" : "s", what);
    put_runs(page, is_kind, kind);
    fputs("</li>\n", page->to);
}

/* Meanings of the hints, in the order of hints_kinds. */
static const char *const MEANINGS[] = {"OUT is black",
                                       "OUT is of one colour",
                                       "OUT repeats the frame before",
                                       "OUT is another frame of REF",
                                       "OUT is REF, moved",
                                       "OUT is REF, brighter or darker",
                                       "OUT is REF, lifted or lowered",
                                       "the light of OUT is stronger or weaker",
                                       "OUT is REF to a power",
                                       "one side has another curve",
                                       "one side has other primaries",
                                       "two channels are swapped",
                                       "one side is of limited range",
                                       "a part of OUT is black",
                                       "one side has black bars",
                                       "OUT is REF, mirrored",
                                       "one side is transparent",
                                       "one side has more bits",
                                       "OUT has more noise than accepted renders",
                                       "OUT has less noise than accepted renders",
                                       "OUT differs from REF as accepted renders do",
                                       "see its row"};
_Static_assert(sizeof MEANINGS / sizeof MEANINGS[0] == COLLECT_HINTS, "each kind has a meaning");

/* Writes the meaning of the hints, and which frames have them. */
static void put_hints(const struct page *page)
{
    const struct report *report = page->report;
    unsigned any = 0;
    for (size_t i = 0; i < report->count; i++) any |= report->point[i].hints;
    if (any == 0) return;
    fputs("<li>Hints: ", page->to);
    if (page->facts->pair && report->worst.count > 0)
        page_hints(page, report->worst.frame[0]->record.scored.hints);
    for (unsigned kind = 0; kind < COLLECT_HINTS && !page->facts->pair; kind++) {
        if (!(any >> kind & 1)) continue;
        fprintf(page->to, "<span class=\"hint\" title=\"%s\">%s</span>", MEANINGS[kind],
                kind < HINTS_KINDS ? hints_kinds[kind] : "other");
        put_runs(page, has_hint, kind);
        fputs(any >> kind > 1 ? "; " : "", page->to);
    }
    fputs("</li>\n", page->to);
}

static void put_limit(const struct page *page, const char **before, const char *limit)
{
    html_print(page->to, "%s<code>%s</code>", *before, limit);
    *before = ", ";
}

/* Writes "--min-frame 0.97, ..." for the limits that were set. */
static void put_limits(const struct page *page)
{
    const struct limits *limits = &page->facts->verdict->limits;
    const char *before = " Limits: ";
    char limit[VERDICT_LIMIT];
    for (int m = 0; m < SSIMCU_METRICS; m++)
        if (limits->has_score >> m & 1)
            put_limit(page, &before, verdict_score_text(limit, limits, m));
    for (int i = 0; i < FAULT_MISSING; i++)
        if (limits_has(limits, i)) put_limit(page, &before, verdict_limit_text(limit, limits, i));
    if (limits->file) {
        snprintf(limit, sizeof limit, "--limits %.300s", limits->file->path);
        put_limit(page, &before, limit);
    }
    fputs(before[0] == ',' ? "." : " No limit was set.", page->to);
}

static void put_good(const struct page *page)
{
    const struct verdict *verdict = page->facts->verdict;
    const uint64_t missing = page->facts->summary->missing;
    fputs(page->facts->pair ? "<li>The pair was scored."
          : missing > 0     ? "<li>Every frame that is there was scored."
                            : "<li>Every frame was scored.",
          page->to);
    put_limits(page);
    fputs("</li>\n", page->to);
    put_broken(page, missing,
               missing == 1 ? "is missing, which is allowed" : "are missing, which is allowed",
               RECORD_MISSING);
    if (verdict->bad == 0) return;
    fprintf(page->to,
            "<li>%" PRIu64 " frame%s beyond a limit, which <code>--max-bad</code> allows.</li>\n",
            verdict->bad, verdict->bad == 1 ? " is" : "s are");
    for (int i = 0; i < FAULT_MISSING; i++) put_fault(page, i);
}

/* Says that the run's score of a metric is below its limit. */
static void put_mean_fault(const struct page *page, ssimcu_metric metric)
{
    const struct summary_metric *own = &page->facts->summary->numbers.metrics[metric];
    char limit[VERDICT_LIMIT], text[HTML_VALUE];
    if (metric == SSIMCU_METRIC_SSIM)
        fprintf(page->to, "<li>The %s", page->facts->pair ? "score" : "mean");
    else
        fprintf(page->to, "<li>The %s%s", page->facts->pair ? "" : "mean ", metrics_title(metric));
    if (own->scored > 0)
        fprintf(page->to, ", %s, is below", html_value(text, metric, own->score));
    else
        fputs(" of no frame is known, but there is", page->to);
    html_print(page->to, " <code>%s</code>.</li>\n",
               verdict_score_text(limit, &page->facts->verdict->limits, metric));
}

static void put_reasons(const struct page *page)
{
    FILE *to = page->to;
    const struct verdict *verdict = page->facts->verdict;
    if (verdict->nothing_scored) fputs("<li>No frame could be scored.</li>\n", to);
    if (verdict->incomplete) fputs("<li>The run was cut short: frames are not here.</li>\n", to);
    put_broken(page, verdict->count[FAULT_FAILED], "could not be scored", RECORD_FAILED);
    put_broken(page, verdict->count[FAULT_MISSING],
               verdict->count[FAULT_MISSING] == 1 ? "is missing" : "are missing", RECORD_MISSING);
    for (int m = 0; m < SSIMCU_METRICS; m++)
        if (verdict->low_mean >> m & 1) put_mean_fault(page, m);
    for (int i = 0; i < FAULT_MISSING && verdict->too_many; i++) put_fault(page, i);
    if (verdict->unlimited)
        html_print(to, "<li>No frame has a limit in <code>%s</code>.</li>\n",
                   verdict->limits.file->path);
}

/* Returns what was judged: OUT, by its label if it has one, or the list. */
static const char *subject(const struct page *page)
{
    const char *list = input_text(page, "list"), *out = input_text(page, "out"),
               *label = input_text(page, "label");
    if (list) return page_base(list);
    if (label) return label;
    return out && input_text(page, "ref") ? page_base(out) : "Results";
}

static void put_subject(const struct page *page)
{
    html_print(page->to, "<h1><bdi>%s</bdi>", subject(page));
    if (!input_text(page, "list") && input_text(page, "out") && input_text(page, "ref"))
        html_print(page->to, " <span class=\"against\">against</span> <bdi>%s</bdi>",
                   page_base(input_text(page, "ref")));
    fputs("</h1>\n", page->to);
}

void page_title(const struct page *page)
{
    html_print(page->to, "%s: %s", page_outcome(page->facts->verdict, page->facts->share).text,
               subject(page));
}

void page_verdict(const struct page *page)
{
    const struct verdict *verdict = page->facts->verdict;
    const bool share = page->facts->share;
    const struct page_outcome outcome = page_outcome(verdict, share);
    fprintf(page->to, "<header class=\"top %s\" data-verdict=\"%s\">\n", outcome.name,
            outcome.name);
    put_subject(page);
    fprintf(page->to,
            "<p class=\"verdict\"><span class=\"sign\" aria-hidden=\"true\">%s</span> %s</p>\n"
            "<ul class=\"reasons\">\n",
            outcome.sign, outcome.text);
    if (share) fputs("<li>These are frames of a share; the merge judges.</li>\n", page->to);
    if (share || !verdict->passed) put_reasons(page);
    if (!share && verdict->passed) put_good(page);
    put_hints(page);
    page_uncounted(page);
    fputs("</ul>\n</header>\n", page->to);
}

/* ---- What it was ----------------------------------------------------------------------------- */

static void put_value(FILE *to, const json_t *value)
{
    if (json_is_string(value)) html_name(to, json_string_value(value));
    if (json_is_integer(value)) fprintf(to, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    if (json_is_real(value)) fprintf(to, "%.9g", json_real_value(value));
    for (size_t i = 0; i < json_array_size(value);
         i++) { /* names, unless the results are damaged */
        const char *name = json_string_value(json_array_get(value, i));
        html_print(to, "%s%s", i > 0 ? ", " : "", name ? name : "?");
    }
    if (json_is_boolean(value)) fputs(json_is_true(value) ? "yes" : "no", to);
}

static void put_members(const struct page *page, json_t *object)
{
    const char *name;
    json_t *value;
    bool first = true;
    json_object_foreach(object, name, value)
    {
        html_print(page->to, "%s%s ", first ? "" : " \xC2\xB7 ", name);
        put_value(page->to, value);
        if (json_is_object(value)) put_members(page, value);
        first = false;
    }
}

static void put_input(const struct page *page)
{
    static const char *const rows[][2] = {{"ref", "REF"},
                                          {"out", "OUT"},
                                          {"list", "List"},
                                          {"label", "Label"},
                                          {"frames", "--frames"},
                                          {"missing", "--missing"},
                                          {"recursive", "--recursive"},
                                          {"size", "--size"},
                                          {"format", "--format"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const json_t *value = json_object_get(page->facts->header->input, rows[i][0]);
        if (!value || json_is_null(value)) continue;
        fprintf(page->to, "<dt>%s</dt><dd>", rows[i][1]);
        put_value(page->to, value);
        fputs("</dd>\n", page->to);
    }
}

static void put_devices(const struct page *page)
{
    static const char *const backends[] = {"cpu", "cuda"};
    bool any = false;
    for (int i = 0; i < 2; i++) {
        if (!page->report->has_backend[i]) continue;
        const char *name = header_device(page->facts->header->device, backends[i]);
        fputs(any ? "; " : "<dt>Scored by</dt><dd>", page->to);
        html_text(page->to, name ? name : backends[i]);
        any = true;
    }
    if (page->report->has_backend[1] && page->report->tiles.count > 0)
        fputs("; tiles within 1e-5 there, frames within 1e-6", page->to);
    if (any) fputs("</dd>\n", page->to);
}

/* Writes when, where and by what the page was made. Two pages of the same results differ in this
 * alone. */
static void put_made(const struct page *page)
{
    char host[256] = "", date[32], machine_date[32];
    const time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(machine_date, sizeof machine_date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", &utc);
    if (gethostname(host, sizeof host - 1) != 0) host[0] = '\0';
    fprintf(page->to, "<dt>Made</dt><dd class=\"made\"><time datetime=\"%s\">%s</time>",
            machine_date, date);
    if (host[0]) html_print(page->to, " at <bdi>%s</bdi>", host);
    if (page->facts->score_seconds >= 0)
        fprintf(page->to, "; scored in %.1f s", page->facts->score_seconds);
    fprintf(page->to, "; ssimcu %s</dd>\n", ssimcu_version());
}

void page_facts(const struct page *page)
{
    const struct report_facts *facts = page->facts;
    fputs("<section id=\"facts\" aria-label=\"What it comes to\">\n<div class=\"numbers\">\n",
          page->to);
    page_numbers(page);
    fputs("</div>\n<dl class=\"details\">\n", page->to);
    put_input(page);
    put_devices(page);
    fputs("<dt>Contract</dt><dd>", page->to);
    put_members(page, facts->header->contract);
    fputs("</dd>\n", page->to);
    put_made(page);
    fputs("</dl>\n</section>\n", page->to);
}
